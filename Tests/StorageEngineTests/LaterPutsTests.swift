import TestSupport
import Testing

@testable import StorageEngine

/// Entries that a transaction leaves for later: what can be wrong with them, and when it is told.
struct LaterPutsTests {
    private static let tree = TreeNumber(1)
    private static let sums = TreeNumber(7)

    @Test func `a page that cannot be read fails the whole transaction, whatever was read before`() async throws {
        var failureCount = 0
        try await DamageTests.withEachPageDamaged { files, page in
            guard let database = try? Database.open(at: "A", trees: [], fileSystem: files) else { return }
            var error: StorageError?
            do {
                try await database.write { transaction in
                    for number in stride(from: 0, to: 3000, by: 2) {
                        try transaction.putLater([1], forKey: .key(UInt64(number)), in: Self.tree)
                    }
                    // An app that asks meanwhile, and forgives. It is not told that there is nothing.
                    let count = try? transaction.count(in: Self.tree)
                    #expect(count == nil || count == 3000)
                    _ = try? transaction.value(forKey: UInt64(8), in: Self.tree) { $0.byteCount }
                    try? transaction.putLater([2], forKey: .key(4), in: Self.tree)
                    try? transaction.put([3], forKey: UInt64(5), in: Self.tree)
                }
            } catch let failure as StorageError {
                error = failure
            }
            let value = try? database.version.value(forKey: UInt64(2), in: Self.tree) { $0.copyBytes(0..<$0.byteCount) }
            if let error {
                failureCount += 1
                #expect(error.damage != nil)
                #expect(value != [1], "page \(page)")
                #expect(database.version.memoryFindings() == [])
                // The rest of the store goes on.
                try await database.write { transaction in
                    try transaction.putLater([9], forKey: .key(1), in: TreeNumber(2))
                }
            } else {
                #expect(value == [1], "page \(page)")
            }
            try? await database.close()
        }
        #expect(failureCount > 3)
    }

    @Test func `an entry that a tree does not take is refused at once, and the others stay`() async throws {
        let database = try Database.open(
            at: "A", trees: [TreeDeclaration(Self.tree, "small", facetCount: 1)], fileSystem: MemoryFileSystem())
        try await database.write { transaction in
            try transaction.putLater([1], forKey: [1], in: Self.tree)
            #expect(throws: StorageError.self) { try transaction.putLater([1], forKey: [], in: Self.tree) }
            #expect(throws: StorageError.self) {
                try transaction.putLater([1], forKey: [2], facets: FacetSet(rawValue: 2), in: Self.tree)
            }
            #expect(throws: StorageError.self) { try transaction.putLater([1], forKey: [2], in: TreeNumber(9)) }
            try transaction.putLater([3], forKey: [3], in: Self.tree)
        }
        #expect(try database.version.count(in: Self.tree) == 2)
        try await database.close()
    }

    @Test(arguments: [3, 400])
    func `a removal that was left for later takes what was there and what was left before it`(
        count: Int
    ) async throws {
        let fileSystem = MemoryFileSystem()
        var database = try Database.open(at: "A", trees: [TreeDeclaration(Self.tree, "plain")], fileSystem: fileSystem)
        try await database.write { transaction in
            for number in 0..<count { try transaction.put([1], forKey: UInt64(number), in: Self.tree) }
        }
        try await database.write { transaction in
            for number in 0..<count { try transaction.removeLater(.key(UInt64(number)), in: Self.tree) }
            try transaction.putLater([2], forKey: .key(0), in: Self.tree)
            // Put and removed, and never there.
            try transaction.putLater([2], forKey: .key(5000), in: Self.tree)
            try transaction.removeLater(.key(5000), in: Self.tree)
            try transaction.removeLater(.key(6000), in: Self.tree)
            #expect(throws: StorageError.self) { try transaction.removeLater([], in: Self.tree) }
            #expect(throws: StorageError.undeclared(TreeNumber(9))) {
                try transaction.removeLater([1], in: TreeNumber(9))
            }
        }
        func check() throws {
            #expect(try database.version.count(in: Self.tree) == 1)
            #expect(
                try database.version.value(forKey: UInt64(0), in: Self.tree) { $0.copyBytes(0..<$0.byteCount) } == [2])
            #expect(database.version.memoryFindings() == [])
        }
        try check()
        try await database.close()
        database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        try check()
        try await database.close()
    }

    @Test func `what is read, removed or put over in between is what was left for later`() async throws {
        let database = try Database.open(
            at: "A",
            trees: [
                TreeDeclaration(Self.tree, "plain"),
                TreeDeclaration(Self.sums, "sums", columns: [.sum(amount: 0), .fingerprint, .hashSum]),
            ], fileSystem: MemoryFileSystem())
        try await database.write { transaction in
            for round in 0..<3 {
                for number in (0..<500).reversed() {
                    let amount = [UInt8(truncatingIfNeeded: number + round), 0, 0, 0, 0, 0, 0, 0]
                    try transaction.putLater(amount, forKey: .key(UInt64(number)), in: Self.sums)
                    try transaction.putLater([], forKey: .key(UInt64(number)), in: Self.tree)
                }
                let sum = (0..<500).reduce(Int128(0)) { $0 + Int128(UInt8(truncatingIfNeeded: $1 + round)) }
                #expect(try transaction.sum(ofAmount: 0, in: Self.sums, positions: nil) == sum)
            }
            try transaction.putLater([7], forKey: .key(3), in: Self.tree)
            try transaction.putLater([8], forKey: .key(3), in: Self.tree)
            try transaction.putLater(Array(repeating: 9, count: 5000), forKey: .key(4), in: Self.tree)
            try transaction.putLater([], forKey: .key(5), in: Self.tree)
            #expect(try transaction.remove(UInt64(5), in: Self.tree))
            #expect(try transaction.value(forKey: UInt64(3), in: Self.tree) { $0.copyBytes(0..<1) } == [8])
            #expect(try transaction.value(forKey: UInt64(4), in: Self.tree) { $0.byteCount } == 5000)
            try transaction.putLater([], forKey: .key(900), in: Self.tree)
            try transaction.removeAll(in: Self.sums)
            try transaction.putLater([], forKey: .key(1), in: Self.sums)
        }
        #expect(try database.version.count(in: Self.tree) == 500)
        #expect(try database.version.count(in: Self.sums) == 1)
        #expect(database.version.memoryFindings() == [])
        try await database.close()
    }
}
