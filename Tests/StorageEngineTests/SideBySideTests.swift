import TestSupport
import Testing

@testable import StorageEngine

/// Trees that one commit changes much are changed side by side, and nobody can tell.
struct SideBySideTests {
    private static let trees = (1...6).map {
        TreeDeclaration(
            TreeNumber(UInt32($0)), "tree \($0)", facetCount: $0 % 3, columns: $0 == 4 ? [.hashSum] : [])
    }

    private static func item(_ tree: TreeDeclaration, _ random: inout SeededGenerator) -> TreeModel.Item {
        let key = (0..<Int.random(in: 1...9, using: &random)).map { _ in UInt8.random(in: 0...9, using: &random) }
        // A few lie outside their leaf.
        let count = random.oneIn(80) ? 5000 : Int.random(in: 0...40, using: &random)
        return TreeModel.Item(
            key: key, value: [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: count),
            facets: UInt16.random(in: 0..<1 << UInt16(tree.facetCount), using: &random))
    }

    @Test(arguments: [6, Int.max], HelpfulWork.Help.allCases)
    func `trees have what they were given, however many changes come at once`(
        nodeEntryLimit: Int, help: HelpfulWork.Help
    ) async throws {
        var random = SeededGenerator.forTest(fallback: UInt64(HelpfulWork.Help.allCases.firstIndex(of: help)!))
        var options = Options(compaction: .manual)
        options.work = HelpfulWork(help)
        options.nodeEntryLimit = nodeEntryLimit
        let fileSystem = MemoryFileSystem()
        var database = try Database.open(at: "A", trees: Self.trees, options: options, fileSystem: fileSystem)
        var models = Self.trees.map { _ in TreeModel() }
        var held: (version: Version, models: [TreeModel])?
        for count in [3, 400, 60, 5, 900, 40] {
            var changes: [(tree: Int, item: TreeModel.Item, isRemoval: Bool)] = []
            for _ in 0..<count {
                for index in Self.trees.indices {
                    let item = Self.item(Self.trees[index], &random)
                    let isRemoval = random.oneIn(3)
                    if isRemoval { _ = models[index].remove(item.key) } else { models[index].put(item) }
                    changes.append((index, item, isRemoval))
                }
            }
            try await database.write { [changes] transaction in
                for (tree, item, isRemoval) in changes {
                    let number = Self.trees[tree].number
                    if isRemoval {
                        try transaction.removeLater(item.key, in: number)
                    } else {
                        try transaction.putLater(
                            item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: number)
                    }
                }
            }
            let version = database.version
            #expect(version.invariantFindings() == [])
            #expect(version.memoryFindings() == [])
            for (tree, model) in zip(Self.trees, models) { try model.check(version, tree, using: &random) }
            if let held {
                for (tree, model) in zip(Self.trees, held.models) {
                    try model.check(held.version, tree, using: &random)
                }
            }
            if count == 60 { try await database.compact() }
            held = (version, models)
            guard count == 900 else { continue }
            // The log has all of that, large values too.
            try await database.close()
            database = try Database.open(at: "A", trees: Self.trees, options: options, fileSystem: fileSystem)
            #expect(database.version.memoryFindings() == [])
            for (tree, model) in zip(Self.trees, models) { try model.check(database.version, tree, using: &random) }
            held = nil
        }
        try await database.close()
    }

    @Test func `a page that cannot be read refuses the commit, and no tree has anything of it`() async throws {
        let (numbers, others) = (TreeNumber(1), TreeNumber(3))
        var refusedCount = 0
        try await DamageTests.withEachPageDamaged { files, page in
            let declared = [TreeDeclaration(others, "others")]
            guard let database = try? Database.open(at: "A", trees: declared, fileSystem: files) else { return }
            var isRefused = false
            do {
                try await database.write { transaction in
                    for number in stride(from: UInt64(0), to: 3000, by: 5) {
                        try transaction.putLater([1], forKey: .key(number), in: numbers)
                        try transaction.putLater([1], forKey: .key(number), in: others)
                    }
                }
            } catch let error as StorageError {
                #expect(error.damage != nil)
                isRefused = true
                refusedCount += 1
            }
            let value = try? database.version.value(forKey: UInt64(5), in: numbers) { $0.copyBytes() }
            #expect(value == nil || (value == [1]) == !isRefused, "page \(page)")
            #expect((try? database.version.count(in: others)) ?? 0 == (isRefused ? 0 : 600), "page \(page)")
            #expect(database.version.memoryFindings() == [])
            try await database.write { try $0.putLater([2], forKey: .key(9), in: others) }
            try? await database.close()
        }
        #expect(refusedCount > 3)
    }
}
