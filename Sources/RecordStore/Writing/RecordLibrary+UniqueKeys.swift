import StorageEngine

extension RecordLibrary {
    /// Makes the unique keys of a kind whole, while others write.
    func makeUniqueKeys(_ needed: UniqueKeysNeeded) async throws(LibraryError) {
        if let type = needed.type {
            try await transact(.memory) { (library) throws(LibraryError) in try library.makeOrders(of: type) }
        }
        while try await transact(
            .memory,
            { (library) throws(LibraryError) in
                let orders = try library.trees.storedOrders(of: Array(needed.kind.utf8))
                guard orders.contains(where: { $0.declaration.isUnique && $0.builtTo != nil }) else { return false }
                return try library.buildOrders(ofKind: needed.kind)
            })
        {}
    }
}
