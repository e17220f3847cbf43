import StorageEngine

/// A kind of records that a library keeps in trees of its own, beside those that apps declare. Declared records may link to it.
package struct BuiltInKind: Sendable {
    /// What the keys of links to it begin with, from 1 on: part of the format.
    let number: UInt8

    /// For people, in lower case.
    let name: String

    /// The tree whose keys begin with the identifiers of its records.
    let tree: TreeNumber

    /// Where other kinds have records in the tree, too: how the keys of this kind end, behind the identifier, and the facet that counts them.
    let share: Share?

    package struct Share: Sendable {
        let keyEnd: [UInt8]
        let facet: Facet

        package init(keyEnd: [UInt8], facet: Facet) { (self.keyEnd, self.facet) = (keyEnd, facet) }
    }

    package init(_ number: UInt8, _ name: String, in tree: TreeNumber, share: Share? = nil) {
        (self.number, self.name, self.tree, self.share) = (number, name, tree, share)
    }

    /// Of the tree.
    func key(_ id: UInt64) -> [UInt8] { .bigEndian(id) + (share?.keyEnd ?? []) }

    /// `nil` for the key of a record of another kind.
    func identifier(ofKey key: RawSpan) -> UInt64? {
        let end = share?.keyEnd ?? []
        guard key.byteCount == 8 + end.count, key.extracting(8...).starts(with: end) else { return nil }
        return key.loadBigEndian(at: 0)
    }

    func identifier(ofKey key: [UInt8]) -> UInt64? { key.withBytes { identifier(ofKey: $0) } }
}

extension BuiltInKind: Hashable {
    package static func == (left: BuiltInKind, right: BuiltInKind) -> Bool { left.number == right.number }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// A type whose values a library keeps as records of a built-in kind.
package protocol BuiltInRecord {
    static var builtInKind: BuiltInKind { get }
}

/// Something that knows what a library keeps: among others the attachment of a store.
protocol BuiltInKindSource: Sendable {
    /// What the library keeps beside declared records.
    var builtInKinds: [BuiltInKind] { get }
}

extension TreeReadable where Self: ~Copyable {
    /// Those of the store that the trees are of.
    package var builtInKinds: [BuiltInKind] { (attachment as? any BuiltInKindSource)?.builtInKinds ?? [] }

    /// Whether there is a record of any kind.
    package var hasRecords: Bool {
        get throws(LibraryError) {
            for tree in declarations.kinds.map(\.number) + builtInKinds.map(\.tree) where try count(of: tree) > 0 {
                return true
            }
            return false
        }
    }
}
