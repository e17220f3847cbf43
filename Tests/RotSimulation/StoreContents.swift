import StorageEngine

/// What a store holds as of one commit: the answer to every question a reader may ask.
struct StoreContents: Sendable {
    struct Item: Sendable, Equatable {
        let key: [UInt8]
        let value: [UInt8]
        let facets: UInt16
    }

    struct Tree: Sendable {
        let declaration: TreeDeclaration
        /// By key.
        let items: [Item]
        /// For each facet the positions of its members among the items.
        let members: [[Int]]

        init(_ declaration: TreeDeclaration, _ entries: [[UInt8]: Item]) {
            self.declaration = declaration
            let items = entries.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            self.items = items
            members = (0..<declaration.facetCount).map { facet in
                items.indices.filter { items[$0].facets >> UInt16(facet) & 1 == 1 }
            }
        }
    }

    let trees: [Tree]

    var entryCount: Int { trees.reduce(0) { $0 + $1.items.count } }
}
