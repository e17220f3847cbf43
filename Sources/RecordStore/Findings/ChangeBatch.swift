import StorageEngine

/// Changes to the library that a repair makes, written some MiB at a time. Nobody reads it meanwhile.
package struct ChangeBatch {
    private enum Change: Sendable {
        case put(tree: TreeNumber, key: [UInt8], facets: FacetSet, value: [UInt8])
        case remove(tree: TreeNumber, key: [UInt8])
    }

    private let database: Database
    private var changes: [Change] = []
    private var byteCount = 0

    private static let limit = 4 << 20

    package init(_ database: Database) { self.database = database }

    package mutating func put(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], in tree: TreeNumber
    ) async throws {
        changes.append(.put(tree: tree, key: key, facets: facets, value: value))
        try await added(key.count + value.count)
    }

    package mutating func remove(_ key: [UInt8], in tree: TreeNumber) async throws {
        changes.append(.remove(tree: tree, key: key))
        try await added(key.count)
    }

    private mutating func added(_ count: Int) async throws {
        // What an entry costs beside its bytes.
        byteCount += count + 64
        if byteCount >= Self.limit { try await finish() }
    }

    package mutating func finish() async throws {
        guard !changes.isEmpty else { return }
        let batch = changes
        changes = []
        byteCount = 0
        try await database.write(.memory) { transaction in
            for change in batch {
                switch change {
                case .put(let tree, let key, let facets, let value):
                    try transaction.put(value, forKey: key, facets: facets, in: tree)
                case .remove(let tree, let key):
                    try transaction.remove(key, in: tree)
                }
            }
        }
    }
}
