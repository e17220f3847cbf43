/// Where a snapshot file keeps values.
public enum ValuePlacement: UInt8, Sendable {
    /// Beside their keys, uncompressed, up to 1,024 bytes each: rows and records that lists and look-ups read in place.
    case hot
    /// Those longer than 64 bytes in LZ4 blocks of about 4 KiB: descriptions, notes, reviews.
    case cold
}

/// A tree a store has. Kept in the store itself, so that maintenance needs no application code.
public struct TreeDeclaration: Sendable, Hashable {
    public let number: TreeNumber
    /// Up to 64 bytes of UTF-8.
    public let name: String
    /// Memberships counted in every branch, 0...16.
    public let facetCount: Int
    /// What else every branch keeps.
    public let columns: TreeColumns
    public let placement: ValuePlacement
    /// Where keys end with the keys of another tree.
    public let home: TreeHome?

    public init(
        _ number: TreeNumber, _ name: String, facetCount: Int = 0, columns: TreeColumns = .none,
        placement: ValuePlacement = .hot, home: TreeHome? = nil
    ) {
        self.number = number
        self.name = name
        self.facetCount = facetCount
        self.columns = columns
        self.placement = placement
        self.home = home
    }

    /// Names are compared by their bytes, as files have them: two that look alike may be spelled in two ways.
    public static func == (left: TreeDeclaration, right: TreeDeclaration) -> Bool {
        left.number == right.number && left.name.utf8.elementsEqual(right.name.utf8)
            && left.facetCount == right.facetCount && left.columns == right.columns
            && left.placement == right.placement && left.home == right.home
    }

    /// What keeps it from being a tree, as a sentence.
    var objection: String? {
        if !TreeNumber.all.contains(number.rawValue) {
            return "Tree number \(number.rawValue) is not in 1...\(TreeNumber.all.upperBound)."
        }
        if name.isEmpty || name.utf8.count > Limits.treeNameByteCount || name.utf8.contains(0) {
            return
                "The name of tree \(number.rawValue) needs 1 to \(Limits.treeNameByteCount) bytes, none of them zero."
        }
        if !(0...Limits.facetCount).contains(facetCount) {
            return "Tree \(name) has \(facetCount) facets; 0 to \(Limits.facetCount) are possible."
        }
        if let objection = columns.objection { return "Tree \(name) \(objection)." }
        if columns.amountCount > 0, placement == .cold {
            return "Tree \(name) has amounts, which lie in its leaves: its values have to be hot."
        }
        if let home {
            if !TreeNumber.all.contains(home.tree.rawValue) || home.tree == number {
                return "Tree \(name) has tree \(home.tree.rawValue) for its home, which can be none."
            }
            if !home.lead.isPossible {
                return
                    "Tree \(name) has keys with a lead of \(home.lead); 1 to 127 bytes are possible, or through zero and up to 127."
            }
            if !columns.isEmpty || placement == .cold {
                return "Tree \(name) has a home, and columns or values that lie elsewhere: it can have one of them."
            }
        }
        return nil
    }

    /// Throws for an entry that the tree cannot hold.
    func check(key: RawSpan, value: RawSpan, facets: UInt16) throws(StorageError) {
        guard Limits.keyByteCount.contains(key.byteCount) else {
            throw .limitExceeded(
                "A key of \(key.byteCount) bytes for tree \(name): keys have 1 to \(Limits.keyByteCount.upperBound). "
                    + (key.byteCount == 0 ? "Give it one at least." : "Shorten it."))
        }
        guard value.byteCount <= Limits.valueByteCount else {
            throw .limitExceeded(
                "A value of \(value.byteCount) bytes for tree \(name): values have up to \(Limits.valueByteCount). "
                    + "Keep such data in a file of its own.")
        }
        guard columns.amountCount == 0 || value.byteCount <= Limits.hotValueByteCount else {
            throw .limitExceeded(
                "A value of \(value.byteCount) bytes for tree \(name): values of a tree with amounts have up to "
                    + "\(Limits.hotValueByteCount). Keep the rest in another tree.")
        }
        guard facets >> UInt16(facetCount) == 0 || facetCount == Limits.facetCount else {
            throw .limitExceeded(
                "Tree \(name) counts \(facetCount) facets; the entry names another. "
                    + "Declare more, or leave it out.")
        }
    }

    /// What the catalogue counts of a key: of a tree with a home what comes before the key of that.
    func countedByteCount(of key: RawSpan) -> Int { home?.lead.byteCount(in: key) ?? key.byteCount }

    /// Longer values lie outside the leaf.
    var inlineByteCount: Int { placement == .hot ? Limits.hotValueByteCount : Limits.coldValueByteCount }
}

extension TreeDeclaration {
    /// Whether leaves may be packed: where all of an entry lies in its leaf, keys are whole and nothing is summed, which is read where it lies.
    /// A tree that is a home must not be, either.
    var mayBePacked: Bool { placement == .hot && home == nil && columns.amountCount == 0 }
}
