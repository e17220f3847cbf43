import StorageEngine
import TestSupport

/// Stores of every shape: by placement and width of what they hold, by height, and by how they were left.
public enum StoreShapes {
    private typealias Put = StoreBuilder.Put

    private static let hot = TreeDeclaration(TreeNumber(1), "hot", facetCount: 2)
    private static let plain = TreeDeclaration(TreeNumber(2), "plain")
    private static let cold = TreeDeclaration(TreeNumber(3), "cold", facetCount: 1, placement: .cold)
    private static let wide = TreeDeclaration(TreeNumber(4), "wide", facetCount: 16)

    /// Sums and running sums of one amount, and a fingerprint and a hash sum.
    private static let amounts = TreeDeclaration(
        TreeNumber(70_000), "amounts", facetCount: 1,
        columns: [.sum(amount: 0), .bounds(amount: 0), .highest(amount: 0), .fingerprint, .hashSum])

    public static func all() async throws -> [StoreShape] {
        [
            try await golden(), try await empty(), try await oneEntry(), try await logOnly(closed: true),
            try await logOnly(closed: false), try await unflushed(), try await group(), try await tornTail(),
            try await oneLeaf(), try await branches(), try await threeLevels(), try await coldBlocks(),
            try await snapshotAndSegment(closed: true), try await snapshotAndSegment(closed: false),
            try await segments(closed: true), try await segments(closed: false), try await twoGenerations(),
            try await reopened(), try await withAside(), try await rescued(), try await abandonedSegment(),
            try await manyTrees(), try await symbols(),
        ] + (try goldenFiles())
    }

    /// The store of `Formats/golden`, step by step as the test that compares every byte makes it.
    public static func golden() async throws -> StoreShape {
        let trees = [
            TreeDeclaration(TreeNumber(1), "titles", facetCount: 2),
            TreeDeclaration(TreeNumber(2), "texts", placement: .cold),
        ]
        return try await StoreShape.make("golden", trees, identifier: Array("golden store 001".utf8)) { builder in
            let titles = ["emma", "persuasion", "mansfield park", "northanger abbey"]
            try await builder.commit(
                .flushed,
                titles.enumerated().map { number, title in
                    Put(
                        tree: 1, key: Array(title.utf8), value: Array("row \(number)".utf8), facets: UInt16(number % 4))
                })
            let text = String(repeating: "It is a truth universally acknowledged. ", count: 20)
            try await builder.commit(
                .flushed,
                [
                    Put(tree: 2, key: key(1), value: Array(text.utf8)),
                    Put(tree: 2, key: key(2), value: Array("short".utf8)),
                ])
            try await builder.commit(.flushed, [Put(tree: 1, key: Array("persuasion".utf8), value: nil)])
            builder.keepElder()
            try await builder.compact()
            builder.keepElder()
            try await builder.commit(
                .flushed,
                [Put(tree: 1, key: Array("pride and prejudice".utf8), value: Array("row 9".utf8), facets: 2)])
            try await builder.close()
            return builder.disk.image
        }
    }

    public static func empty() async throws -> StoreShape {
        try await StoreShape.make("empty", [hot, cold]) { builder in
            try await builder.close()
            return builder.disk.image
        }
    }

    static func oneEntry() async throws -> StoreShape {
        try await StoreShape.make("one entry", [hot]) { builder in
            try await builder.commit(.flushed, [Put(tree: 1, key: [7], value: [1, 2, 3], facets: 1)])
            try await builder.close()
            return builder.disk.image
        }
    }

    public static func logOnly(closed: Bool) async throws -> StoreShape {
        try await StoreShape.make(closed ? "log only, closed" : "log only, crashed", [hot]) { builder in
            for number in 0..<8 {
                if number == 5 { builder.keepElder() }
                try await builder.commit(.flushed, numbers(number * 3..<number * 3 + 3, value: "number"))
            }
            guard closed else { return try await builder.crash() }
            try await builder.close()
            return builder.disk.image
        }
    }

    /// Flushed commits, then some that were only ordered.
    static func unflushed() async throws -> StoreShape {
        try await StoreShape.make("unflushed tail", [hot]) { builder in
            for number in 0..<3 { try await builder.commit(.flushed, numbers(number..<number + 1, value: "flushed")) }
            for number in 3..<7 { try await builder.commit(.ordered, numbers(number..<number + 1, value: "ordered")) }
            return try await builder.crash()
        }
    }

    /// Commits that shared a flush: all but the last carry the watermark of the group before.
    static func group() async throws -> StoreShape {
        try await StoreShape.make("flushed in groups", [hot]) { builder in
            for number in 0..<9 {
                try await builder.commit(
                    number % 3 == 2 ? .flushed : .memory, numbers(number..<number + 1, value: "in a group"))
            }
            return try await builder.crash()
        }
    }

    /// Half of the last frame reached the disk.
    static func tornTail() async throws -> StoreShape {
        try await StoreShape.make("torn tail", [hot]) { builder in
            for number in 0..<5 { try await builder.commit(.flushed, numbers(number..<number + 1, value: "flushed")) }
            let name = StoreImage.name("log-", 1)
            let before = builder.disk.image.files[name] ?? []
            let end = LogReading(before)?.end ?? 0
            var image = try await tornCopy(builder, name, end)
            image.files["lock"] = Array("1\n".utf8)
            return image
        }
    }

    private static func tornCopy(_ builder: StoreBuilder, _ name: String, _ end: Int) async throws -> StoreImage {
        var image = builder.disk.image
        var later = builder
        try await later.commit(.ordered, numbers(50..<60, value: "never acknowledged"))
        let after = try await later.crash()
        let frame = Array((after.files[name] ?? [])[end..<end + 90])
        image.files[name]?.replaceSubrange(end..<end + frame.count, with: frame)
        return image
    }

    static func oneLeaf() async throws -> StoreShape {
        try await StoreShape.make("one leaf", [hot, plain]) { builder in
            try await builder.commit(.flushed, numbers(0..<30, value: "older"))
            try await builder.compact()
            builder.keepElder()
            try await builder.commit(.flushed, numbers(0..<30, value: "newer"))
            try await builder.compact()
            try await builder.close()
            return builder.disk.image
        }
    }

    /// A root above leaves, kept pages in front, a long shared prefix in a second tree.
    static func branches() async throws -> StoreShape {
        try await StoreShape.make("branches", [hot, plain]) { builder in
            let prefix = Array(repeating: UInt8(ascii: "p"), count: 300)
            let long = (0..<60).map { Put(tree: 2, key: prefix + key($0), value: Array(repeating: 3, count: 120)) }
            try await builder.commit(.flushed, numbers(0..<400, value: "a value of the first generation") + long)
            try await builder.compact()
            builder.keepElder()
            try await builder.commit(.flushed, numbers(100..<110, value: "a value of later generations!!!"))
            try await builder.compact()
            try await builder.close()
            return builder.disk.image
        }
    }

    /// Keys of 1 and of 512 bytes, sixteen facets, separators so long that a branch holds few children.
    public static func threeLevels() async throws -> StoreShape {
        try await StoreShape.make("three levels", [wide]) { builder in
            var puts: [Put] = []
            for group in UInt8(1)...9 {
                puts.append(Put(tree: 4, key: [group], value: [], facets: 0))
                let middle = Array(repeating: group, count: 503)
                for number in 0..<14 {
                    puts.append(
                        Put(
                            tree: 4, key: [group] + middle + key(number), value: Array(repeating: group, count: 400),
                            facets: UInt16(truncatingIfNeeded: number * 2749 + Int(group))))
                }
            }
            try await builder.commit(.flushed, puts)
            try await builder.compact()
            try await builder.close()
            return builder.disk.image
        }
    }

    /// Several blocks, compressed and not; hot values too long for a page; a generation before of the same layout.
    public static func coldBlocks() async throws -> StoreShape {
        try await StoreShape.make("cold blocks", [hot, cold]) { builder in
            var random = SeededGenerator(seed: 4)
            for _ in 0..<2 {
                var puts: [Put] = []
                for number in 0..<16 {
                    let text = Array("text \(number) of a book, again and again; ".utf8)
                    puts.append(Put(tree: 3, key: key(number), value: Array(repeatElement(text, count: 60).joined())))
                }
                for number in 16..<32 {
                    let noise = (0..<2040).map { _ in UInt8.random(in: 0...255, using: &random) }
                    puts.append(Put(tree: 3, key: key(number), value: noise, facets: 1))
                }
                puts.append(Put(tree: 3, key: key(40), value: Array(repeating: 9, count: 20_000)))
                puts.append(Put(tree: 3, key: key(41), value: Array("beside its key".utf8)))
                puts.append(
                    Put(tree: 1, key: [1], value: (0..<3000).map { _ in UInt8.random(in: 0...255, using: &random) }))
                try await builder.commit(.flushed, puts)
                try await builder.compact()
                builder.keepElder()
            }
            try await builder.close()
            return builder.disk.image
        }
    }

    /// A catalogue of two pages; branches with columns.
    public static func manyTrees() async throws -> StoreShape {
        let others = (1...35).map { TreeDeclaration(TreeNumber($0 * 1000), "tree \($0)") }
        return try await StoreShape.make("many trees", others + [amounts]) { builder in
            var random = SeededGenerator(seed: 9)
            var puts = others.map { Put(tree: $0.number.rawValue, key: [1], value: Array($0.name.utf8)) }
            for number in 0..<300 {
                let amount = (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) }
                puts.append(
                    Put(tree: 70_000, key: key(number), value: amount + [1, 2, 3], facets: UInt16(number % 2)))
            }
            try await builder.commit(.flushed, puts)
            try await builder.compact()
            builder.keepElder()
            try await builder.commit(.flushed, [Put(tree: 70_000, key: key(7), value: [])])
            try await builder.close()
            return builder.disk.image
        }
    }

    public static func snapshotAndSegment(closed: Bool) async throws -> StoreShape {
        let name = "snapshot and segment, " + (closed ? "closed" : "crashed")
        return try await StoreShape.make(name, [hot, cold]) { builder in
            let texts = (0..<6).map { Put(tree: 3, key: key($0), value: Array(repeating: UInt8($0), count: 500)) }
            try await builder.commit(.flushed, numbers(0..<60, value: "in the snapshot") + texts)
            builder.keepElder()
            try await builder.compact()
            builder.keepElder()
            for number in 0..<5 {
                try await builder.commit(.flushed, numbers(55 + number..<58 + number, value: "in the log"))
            }
            guard closed else { return try await builder.crash() }
            try await builder.close()
            return builder.disk.image
        }
    }

    /// Compactions that did not come to their rename leave one more segment each.
    public static func segments(closed: Bool) async throws -> StoreShape {
        try await StoreShape.make("several segments, " + (closed ? "closed" : "crashed"), [hot]) { builder in
            try await builder.commit(.flushed, numbers(0..<10, value: "in the snapshot"))
            try await builder.compact()
            for round in 0..<3 {
                for number in 0..<2 {
                    try await builder.commit(
                        .flushed, numbers(round * 4 + number..<round * 4 + number + 3, value: "in a log"))
                }
                builder.keepElder()
                if round < 2 { try await builder.abortCompaction() }
            }
            guard closed else { return try await builder.crash() }
            try await builder.close()
            return builder.disk.image
        }
    }

    /// A crash between the rename of a generation and the removal of the one before.
    static func twoGenerations() async throws -> StoreShape {
        try await StoreShape.make("two generations", [hot]) { builder in
            try await builder.commit(.flushed, numbers(0..<20, value: "first"))
            try await builder.compact()
            try await builder.commit(.flushed, numbers(10..<30, value: "second"))
            try await builder.compactKeepingOld()
            try await builder.commit(.flushed, numbers(25..<35, value: "third"))
            return try await builder.crash()
        }
    }

    /// Closed and opened again between commits: watermarks stand between frames.
    static func reopened() async throws -> StoreShape {
        try await StoreShape.make("reopened", [hot]) { builder in
            for number in 0..<4 {
                try await builder.commit(.flushed, numbers(number * 2..<number * 2 + 2, value: "before a closing"))
                builder.keepElder()
                try await builder.reopen()
            }
            return try await builder.crash()
        }
    }

    /// Values written in symbols.
    static func symbols() async throws -> StoreShape {
        try await StoreShape.make("symbols", [hot]) { builder in
            let text = String(repeating: "the quick brown fox, the lazy dog; ", count: 8)
            try await builder.commit(.flushed, numbers(0..<260, value: text))
            try await builder.compact()
            try await builder.commit(.flushed, numbers(250..<270, value: "behind it"))
            try await builder.close()
            return builder.disk.image
        }
    }

    /// A flush failed, and the store moved into a new generation; the old one is still there.
    static func rescued() async throws -> StoreShape {
        try await StoreShape.make("rescued", [hot]) { builder in
            try await builder.commit(.flushed, numbers(0..<10, value: "first"))
            try await builder.compact()
            try await builder.commit(.flushed, numbers(5..<12, value: "second"))
            builder.keepElder()
            try await builder.commitByRescue(numbers(10..<20, value: "third"))
            try await builder.commit(.flushed, numbers(15..<25, value: "fourth"))
            return try await builder.crash()
        }
    }

    /// A flush failed, and so did the rescue.
    static func abandonedSegment() async throws -> StoreShape {
        try await StoreShape.make("abandoned segment", [hot]) { builder in
            try await builder.commit(.flushed, numbers(0..<10, value: "first"))
            try await builder.compact()
            try await builder.commit(.flushed, numbers(5..<12, value: "second"))
            try await builder.commitInVain(numbers(10..<20, value: "third"))
            return try await builder.crash()
        }
    }

    /// Beside the store lies what an earlier recovery cut, and what a crashed compaction left.
    static func withAside() async throws -> StoreShape {
        try await StoreShape.make("leftovers", [hot]) { builder in
            try await builder.commit(.flushed, numbers(0..<5, value: "value"))
            try await builder.compact()
            try await builder.commit(.flushed, numbers(3..<8, value: "later"))
            try await builder.close()
            var image = builder.disk.image
            image.files[StoreImage.name("aside-", 1) + "-64"] = Array(repeating: 7, count: 200)
            image.files[StoreImage.name("snapshot-", 3) + ".tmp"] = Array(repeating: 0, count: 5000)
            image.files[StoreImage.name("snapshot-", 3) + ".tmp.cold"] = [1]
            return image
        }
    }

    private static func key(_ number: Int) -> [UInt8] { (0..<8).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) } }

    private static func numbers(_ range: Range<Int>, value: String) -> [StoreBuilder.Put] {
        range.map { number in
            StoreBuilder.Put(
                tree: 1, key: key(number), value: Array("\(value) \(number)".utf8), facets: UInt16(number % 4))
        }
    }
}
