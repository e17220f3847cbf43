/// What became of a line of an export.
package enum TakenLine: Sendable {
    case inserted

    /// The library had it, as it is.
    case known

    /// It names what is not there yet: in these words.
    case waits(String)
}
