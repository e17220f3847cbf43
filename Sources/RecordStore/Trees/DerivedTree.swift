import StorageEngine

/// A tree that follows from the records and can be made again from them.
public struct DerivedTree: Sendable {
    /// In the store.
    public let name: String

    /// Such as `the list by title`.
    public let words: String

    package let number: TreeNumber

    package init(_ number: TreeNumber, _ name: String, words: String) {
        (self.number, self.name, self.words) = (number, name, words)
    }

    /// The orders of declared records, all of them, indexes and unique keys among them. They are emptied, and made again in the background
    /// by the next app that writes.
    public static let appOrders = DerivedTree(
        LibraryTree.appOrders, "app-orders", words: LibraryTree.words(of: LibraryTree.appOrders))
}

extension DerivedTree: Hashable {
    public static func == (left: DerivedTree, right: DerivedTree) -> Bool { left.number == right.number }

    public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
