import StorageEngine

/// A kind of records that a library keeps in trees of its own, beside those that apps declare. Declared records may link to it.
package struct BuiltInKind: Sendable {
    /// What the keys of links to it begin with, from 1 on: part of the format.
    let number: UInt8

    /// For people, in lower case.
    let name: String

    /// The tree whose keys begin with the identifiers of its records.
    let tree: TreeNumber

    package init(_ number: UInt8, _ name: String, in tree: TreeNumber) {
        (self.number, self.name, self.tree) = (number, name, tree)
    }
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
}
