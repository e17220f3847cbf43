import TestSupport
import Testing

@testable import StorageEngine

/// The roots of a version, of which the next shares all that it does not change.
@Suite struct RootTableTests {
    private func root(_ number: Int) -> TreeRoot { TreeRoot(reference: UInt64(number) << 1, checksum: UInt32(number)) }

    @Test func `tables of every size agree with an array, and older ones stay as they were`() {
        var random = SeededGenerator.forTest(fallback: 1)
        var table = RootTable()
        var model: [TreeRoot] = []
        var kept: [(RootTable, [TreeRoot])] = []
        for step in 0..<6000 {
            if model.isEmpty || random.oneIn(3) {
                table.append(root(step))
                model.append(root(step))
            } else {
                let place = Int.random(in: 0..<model.count, using: &random)
                table[place] = root(step)
                model[place] = root(step)
            }
            if random.oneIn(200) { kept.append((table, model)) }
        }
        kept.append((table, model))
        #expect(model.count > 1024)
        for (table, model) in kept {
            #expect(table.count == model.count)
            #expect(model.indices.allSatisfy { table[$0] == model[$0] })
        }
    }

    /// Where the arrays of a table's nodes lie.
    private func places(_ node: RootTable.Node) -> Set<UInt> {
        switch node {
        case .leaf(let roots): [roots.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }]
        case .branch(let children):
            children.reduce(into: [children.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }]) {
                $0.formUnion(places($1))
            }
        }
    }

    @Test(arguments: [(30, 1), (1000, 2), (4096, 3)])
    func `a changed root copies a node a level, and shares the rest`(count: Int, levels: Int) {
        var table = RootTable()
        for number in 0..<count { table.append(root(number)) }
        let before = table
        table[count / 2] = root(count)
        table[count / 2] = root(count + 1)
        #expect(places(table.top).subtracting(places(before.top)).count == levels)
    }
}
