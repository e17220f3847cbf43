import TestSupport
import Testing

@testable import StorageEngine

/// Changes that are put together when somebody asks for them, or with the commit.
struct PendingChangesTests {
    private static let trees = [
        TreeDeclaration(TreeNumber(1), "pending"), TreeDeclaration(TreeNumber(2), "others"),
    ]

    /// Puts one key, once.
    private final class OneKey: PendingChanges {
        var isPending = true
        var key: [UInt8] = [7]

        func concern(_ tree: TreeNumber) -> Bool { isPending && tree == TreeNumber(1) }

        func make(in transaction: TransactionReader) throws(StorageError) {
            guard isPending else { return }
            isPending = false
            try transaction.putLater([1], forKey: key, in: TreeNumber(1))
        }
    }

    private func open() throws -> Database {
        try Database.open(at: "A", trees: Self.trees, fileSystem: MemoryFileSystem())
    }

    @Test func `they are made when their tree is asked for anything, and not for another`() async throws {
        let database = try open()
        try await database.write { transaction in
            let key = OneKey()
            transaction.reader.pending = key
            try transaction.put([2], forKey: [2], in: TreeNumber(2))
            #expect(try transaction.count(in: TreeNumber(2)) == 1 && key.isPending)
            #expect(try transaction.count(in: TreeNumber(1)) == 1 && !key.isPending)
        }
        #expect(try database.version.count(in: TreeNumber(1)) == 1)
        try await database.close()
    }

    @Test func `they are made before an entry of their tree is put, removed or all are`() async throws {
        let database = try open()
        for (number, change): (Int, @Sendable (inout Transaction) throws -> Void) in [
            (1, { try $0.put([2], forKey: [7], in: TreeNumber(1)) }),
            (0, { _ = try $0.remove([7], in: TreeNumber(1)) }),
            (0, { try $0.removeAll(in: TreeNumber(1)) }),
        ] {
            try await database.write { transaction in
                transaction.reader.pending = OneKey()
                try change(&transaction)
            }
            #expect(try database.version.count(in: TreeNumber(1)) == number)
        }
        // What came later counts.
        try await database.write { transaction in
            transaction.reader.pending = OneKey()
            try transaction.put([2], forKey: [7], in: TreeNumber(1))
        }
        #expect(try database.version.bytes(forKey: [7], in: TreeNumber(1)) == [2])
        try await database.close()
    }

    @Test func `they are made with the commit, are in its log, and make one where nothing else does`() async throws {
        let disk = MemoryFileSystem()
        let database = try Database.open(at: "A", trees: Self.trees, fileSystem: disk)
        try await database.write { _ in }
        let number = database.version.commitNumber
        try await database.write { $0.reader.pending = OneKey() }
        #expect(database.version.commitNumber == number + 1)
        try await database.close()
        let again = try Database.open(at: "A", trees: Self.trees, fileSystem: disk)
        #expect(try again.version.bytes(forKey: [7], in: TreeNumber(1)) == [1])
        try await again.close()
    }

    @Test func `one that cannot be made fails the commit, whoever asked and forgave`() async throws {
        let database = try open()
        let number = database.version.commitNumber
        await #expect(throws: StorageError.self) {
            try await database.write { transaction in
                try transaction.put([2], forKey: [2], in: TreeNumber(2))
                let key = OneKey()
                key.key = []
                transaction.reader.pending = key
                // An app that asks meanwhile is not told why.
                _ = try? transaction.count(in: TreeNumber(1))
                #expect(!key.isPending)
            }
        }
        #expect(database.version.commitNumber == number)
        #expect(try database.version.count(in: TreeNumber(2)) == 0)
        try await database.write { try $0.put([2], forKey: [2], in: TreeNumber(2)) }
        try await database.close()
    }
}
