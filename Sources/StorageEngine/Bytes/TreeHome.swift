/// The tree with whose keys the keys of another tree end: an order whose entries end with the key of a row, and the tree of the rows.
///
/// A snapshot holds such a key as its *lead*, what comes before, and the place of the other key in its own tree, 3 bytes for most
/// libraries, however long that key is (`PermutationPage`). Nothing else changes: keys are whole wherever they are read or written.
public struct TreeHome: Sendable, Hashable {
    /// Declared before the trees it is the home of.
    public let tree: TreeNumber
    public let lead: KeyLead

    public init(_ tree: TreeNumber, lead: KeyLead) {
        self.tree = tree
        self.lead = lead
    }
}

/// How many bytes of a key come before the key of its home tree, told from those bytes themselves: of two keys of a tree whose leads
/// differ, neither lead begins with the other.
public enum KeyLead: Sendable, Hashable {
    /// So many, 1…127.
    case bytes(Int)
    /// Those up to the first zero and with it, and so many behind, 0…127.
    case throughZero(andBytes: Int)

    private static let zeroMark: UInt8 = 0x80

    /// The number for it in a catalogue and in the log, where 0 means no home.
    var code: UInt8 {
        switch self {
        case .bytes(let count): UInt8(count)
        case .throughZero(let count): Self.zeroMark | UInt8(count)
        }
    }

    init?(code: UInt8) {
        guard code != 0 else { return nil }
        self = code & Self.zeroMark == 0 ? .bytes(Int(code)) : .throughZero(andBytes: Int(code & ~Self.zeroMark))
    }

    var isPossible: Bool {
        switch self {
        case .bytes(let count): (1...127).contains(count)
        case .throughZero(let count): (0...127).contains(count)
        }
    }

    /// `nil` where nothing is left for a key of the home tree: of a key that is shorter, as those are that only begin a search.
    public func byteCount(in key: RawSpan) -> Int? {
        let count = end(in: key)
        return count < key.byteCount ? count : nil
    }

    /// Whether bytes are a lead, and nothing but that.
    func isAll(of bytes: RawSpan) -> Bool { end(in: bytes) == bytes.byteCount }

    /// Where a lead ends, if there are as many bytes.
    private func end(in key: RawSpan) -> Int {
        switch self {
        case .bytes(let count): return count
        case .throughZero(let more):
            var count = 0
            while count < key.byteCount, key.byte(at: count) != 0 { count += 1 }
            return count + 1 + more
        }
    }
}

extension KeyLead: CustomStringConvertible {
    public var description: String {
        switch self {
        case .bytes(let count): count == 1 ? "1 byte" : "\(count) bytes"
        case .throughZero(let count): count == 0 ? "through zero" : "through zero and \(count) bytes"
        }
    }
}
