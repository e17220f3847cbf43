/// Which tree of a store: 1...63. The number is what files hold; a name is for people.
public struct TreeNumber: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public init(_ number: UInt8) { rawValue = number }

    static let all: ClosedRange<UInt8> = 1...63

    public static func < (left: TreeNumber, right: TreeNumber) -> Bool { left.rawValue < right.rawValue }
}

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
    /// Up to 32 bytes of UTF-8.
    public let name: String
    /// Memberships counted in every branch, 0...16.
    public let facetCount: Int
    public let placement: ValuePlacement

    public init(_ number: TreeNumber, _ name: String, facetCount: Int = 0, placement: ValuePlacement = .hot) {
        self.number = number
        self.name = name
        self.facetCount = facetCount
        self.placement = placement
    }

    /// What keeps it from being a tree, as a sentence.
    var objection: String? {
        if !TreeNumber.all.contains(number.rawValue) { return "Tree number \(number.rawValue) is not in 1...63." }
        if name.isEmpty || name.utf8.count > Limits.treeNameByteCount || name.utf8.contains(0) {
            return
                "The name of tree \(number.rawValue) needs 1 to \(Limits.treeNameByteCount) bytes, none of them zero."
        }
        if !(0...Limits.facetCount).contains(facetCount) {
            return "Tree \(name) has \(facetCount) facets; 0 to \(Limits.facetCount) are possible."
        }
        return nil
    }

    /// Throws for an entry that the tree cannot hold.
    func check(key: RawSpan, value: RawSpan, facets: UInt16) throws(StorageError) {
        guard Limits.keyByteCount.contains(key.byteCount) else {
            throw .limitExceeded(
                "A key of \(key.byteCount) bytes for tree \(name): keys have 1 to \(Limits.keyByteCount.upperBound). "
                    + "Shorten it.")
        }
        guard value.byteCount <= Limits.valueByteCount else {
            throw .limitExceeded(
                "A value of \(value.byteCount) bytes for tree \(name): values have up to \(Limits.valueByteCount). "
                    + "Keep such data in a file of its own.")
        }
        guard facets >> UInt16(facetCount) == 0 || facetCount == Limits.facetCount else {
            throw .limitExceeded("Tree \(name) counts \(facetCount) facets; the entry names another.")
        }
    }

    /// Longer values lie outside the leaf.
    var inlineByteCount: Int { placement == .hot ? Limits.hotValueByteCount : Limits.coldValueByteCount }
}

/// One of up to 16 memberships that a tree counts, such as a reading status.
public struct Facet: Hashable, Sendable {
    public let index: Int

    public init(_ index: Int) {
        precondition((0..<Limits.facetCount).contains(index), "a facet is one of sixteen")
        self.index = index
    }
}

/// The facets an entry belongs to.
public struct FacetSet: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public init(_ facet: Facet) { rawValue = 1 << UInt16(facet.index) }

    public func contains(_ facet: Facet) -> Bool { rawValue >> UInt16(facet.index) & 1 == 1 }
}

extension StorageError {
    static func undeclared(_ tree: TreeNumber) -> StorageError {
        .schemaMismatch("Tree \(tree.rawValue) was not declared. Name it when the store is opened.")
    }
}
