/// What became of a line of an export.
package enum TakenLine: Sendable {
    case inserted

    /// The library had it, as it is.
    case known

    /// It names what is not there yet: the identifier of that, and what to say if it does not come.
    case waits(UInt64, String)
}
