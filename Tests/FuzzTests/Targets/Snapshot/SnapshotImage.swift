@testable import StorageEngine

/// A sound store of one snapshot file, made for an input to change: small, but with every kind of page and value.
struct SnapshotImage {
    static let store = StoreIdentifier(bytes: Array("fuzzing the pages".utf8.prefix(16)))
    static let generation: UInt64 = 2
    let bytes: [UInt8]

    /// Leaves alone; a branch above leaves with facets; branches above branches, with all sixteen facets; leaves with places;
    /// values in symbols; values that end alike.
    static let all: [SnapshotImage] = [
        made([
            Tree(declaration: TreeDeclaration(TreeNumber(1), "short", facetCount: 3), count: 30, keyByteCount: 6),
            Tree(
                declaration: TreeDeclaration(TreeNumber(2), "cold", placement: .cold), count: 12, valueByteCount: 3000),
            Tree(declaration: TreeDeclaration(TreeNumber(3), "empty"), count: 0),
        ]),
        made([
            Tree(
                declaration: TreeDeclaration(
                    TreeNumber(1), "hot", facetCount: 2,
                    columns: [
                        .sum(amount: 0), .bounds(amount: 1), .highest(amount: 0), .lowest(amount: 0), .fingerprint,
                        .hashSum,
                    ]), count: 90, keyByteCount: 90,
                valueByteCount: 100),
            Tree(declaration: TreeDeclaration(TreeNumber(9), "cold", placement: .cold), count: 80, valueByteCount: 300),
        ]),
        made([
            Tree(
                declaration: TreeDeclaration(TreeNumber(5), "deep", facetCount: 16), count: 150, keyByteCount: 200,
                valueByteCount: 1000)
        ]),
        made([
            Tree(declaration: TreeDeclaration(TreeNumber(1), "rows", facetCount: 2), count: 180),
            Tree(
                declaration: TreeDeclaration(
                    TreeNumber(2), "by name", facetCount: 3,
                    home: TreeHome(TreeNumber(1), lead: .throughZero(andBytes: 0))), count: 180, valueByteCount: 2),
            Tree(
                declaration: TreeDeclaration(
                    TreeNumber(3), "by number", home: TreeHome(TreeNumber(1), lead: .bytes(2))), count: 100,
                valueByteCount: 0),
        ]),
        made([
            Tree(
                declaration: TreeDeclaration(TreeNumber(4), "coded", facetCount: 1), count: 300, valueByteCount: 600,
                variety: 5)
        ]),
        made([
            Tree(declaration: TreeDeclaration(TreeNumber(6), "ended", facetCount: 1), count: 120, endByteCount: 60)
        ]),
    ]

    private struct Tree {
        let declaration: TreeDeclaration
        let count: Int
        var keyByteCount = 12
        var valueByteCount = 40
        /// Values begin in so many ways.
        var variety = Int.max
        /// They end in so many bytes that are the same in all.
        var endByteCount = 0
    }

    private static func made(_ trees: [Tree]) -> SnapshotImage {
        do {
            let fileSystem = StoreFolder.disk([:])
            let files = StoreFolder.names
            let state = try StoreOpening(
                files: files, fileSystem: fileSystem,
                options: Options(compaction: .manual, storeIdentifier: store.bytes), declared: trees.map(\.declaration)
            ).open().state
            state.begin()
            for tree in trees {
                for index in 0..<tree.count { try put(index, of: tree, into: state) }
            }
            state.seal()
            let version = Version(commitNumber: 1, generation: state.generation, trees: state.trees)
            try SnapshotBuild(
                version: version, generation: generation, logSequence: 2, files: files, fileSystem: fileSystem
            ) { (_) throws(StorageError) in }.write()
            let file = try fileSystem.openFile(files.temporarySnapshot(generation), .reading)
            return SnapshotImage(bytes: try file.read(byteCount: try file.byteCount(), at: 0))
        } catch { fatalError("a small store is made in memory: \(error)") }
    }

    /// Keys that share a beginning with their neighbours, values that differ.
    private static func put(_ index: Int, of tree: Tree, into state: WriteState) throws {
        let digits = Array("\(1000 + index * 7)".utf8)
        var key =
            digits.prefix(2) + [UInt8](repeating: digits[1], count: max(0, tree.keyByteCount - 4)) + digits.suffix(2)
        key.append(UInt8(truncatingIfNeeded: index))
        switch tree.declaration.home?.lead {
        case .bytes(let count): key = [UInt8](repeating: UInt8(index / 7), count: count) + key
        case .throughZero: key = Array(["", "a", "austen, jane"][index % 3].utf8) + [0] + key
        case nil: break
        }
        let value =
            (0..<tree.valueByteCount * (index % 3) / 2).map {
                UInt8(truncatingIfNeeded: $0 &* (index % tree.variety + 3) >> 2)
            } + [UInt8](repeating: 7, count: tree.endByteCount)
        let facets = tree.declaration.facetCount == 0 ? 0 : UInt16(1) << UInt16(index % tree.declaration.facetCount)
        try state.put(
            key: Array(key).span.bytes, value: value.span.bytes, facets: facets, tree: tree.declaration.number)
    }
}
