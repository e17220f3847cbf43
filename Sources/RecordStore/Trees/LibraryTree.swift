import StorageEngine

/// The trees that every library has. The numbers are part of the format: one that goes is never used again. Those below 1,001 that are
/// not here belong to what a library keeps beside declared records; see `LibraryContents`.
package enum LibraryTree {
    /// What the library knows about itself; see `LibraryMeta`.
    package static let meta = TreeNumber(15)

    /// Name of the kind ‖ 00 ‖ name of an order ‖ 00 ‖ identity of its definition → the order of the app's own records; see `StoredOrder`.
    /// The entries of each have a separate tree, from `firstOrder` on.
    package static let appOrders = TreeNumber(26)

    /// What is linked to, its number and a name ‖ 00 ‖ name of the kind that links ‖ 00 ‖ tag of the field → what deleting does; see
    /// `StoredLink`.
    package static let appLinks = TreeNumber(27)

    /// Name of the kind → its fields, for people and for who has not got the type; see `KindFields`.
    package static let appFields = TreeNumber(28)

    /// Components ‖ identifier → amounts.
    package static let firstOrder = TreeNumber(1001)

    /// Identifier → record of the app's own, a tree for each kind: see `KindTree`.
    package static let firstKind = TreeNumber(1 << 23)

    /// Whether it holds the entries of an order.
    package static func isOrder(_ tree: TreeNumber) -> Bool { (firstOrder..<firstKind).contains(tree) }

    /// The part of the library that a tree belongs to: the entries of all orders are one with their declarations, and the app's own
    /// records are one.
    package static func part(of tree: TreeNumber) -> TreeNumber {
        if isOrder(tree) { return appOrders }
        return tree >= firstKind ? firstKind : tree
    }

    package static let ofEveryLibrary: [TreeDeclaration] = [
        TreeDeclaration(meta, "meta"),
        TreeDeclaration(appOrders, "app-orders"),
        TreeDeclaration(appLinks, "app-links"),
        TreeDeclaration(appFields, "app-fields"),
    ]

    /// As in "… is missing in the orders of the app's own records"; by its number for a tree that not every library has.
    package static func words(of tree: TreeNumber) -> String {
        switch part(of: tree) {
        case meta: "what the library knows about itself"
        case firstKind: "the app's own records"
        case appOrders: "the orders of the app's own records"
        case appLinks: "the links of the app's own records"
        case appFields: "the fields of the app's own records"
        default: "tree \(tree.rawValue)"
        }
    }
}
