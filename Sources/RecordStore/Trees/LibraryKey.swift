/// What keys of a library are made of. They compare byte by byte.
package enum LibraryKey {
    /// Ends a text of any length within a key. Folded texts have no byte below 0x20, so a key ends where it seems to
    /// and a shorter text comes before the longer one it begins.
    package static var separator: UInt8 { @inlinable get { 0 } }
    /// Between the words of a text within a key.
    package static var blank: UInt8 { @inlinable get { 0x20 } }

    /// The first key behind all that begin with the prefix; `nil` when none can come behind them.
    package static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xFF { return end + [last + 1] }
        }
        return nil
    }
}
