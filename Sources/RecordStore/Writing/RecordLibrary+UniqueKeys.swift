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
                guard try library.trees.isMakingUniqueKeys(ofKind: needed.kind) else { return false }
                return try library.buildOrders(ofKind: needed.kind)
            })
        {}
    }

    /// Makes the unique keys whole that the library has of a kind: for who writes so often that looking through what is not in them each time takes
    /// longer.
    func finishUniqueKeys(ofKind kind: String) async throws(LibraryError) {
        let isMaking = try await read { (snapshot) throws(LibraryError) in
            try snapshot.version.isMakingUniqueKeys(ofKind: kind)
        }
        if isMaking { try await makeUniqueKeys(UniqueKeysNeeded(kind: kind, type: nil)) }
    }
}

extension TreeReadable where Self: ~Copyable {
    /// Whether a unique key of a kind is not whole.
    fileprivate func isMakingUniqueKeys(ofKind kind: String) throws(LibraryError) -> Bool {
        try storedOrders(of: Array(kind.utf8)).contains { $0.declaration.isUnique && $0.builtTo != nil }
    }
}
