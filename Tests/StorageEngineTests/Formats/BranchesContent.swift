import StorageEngine
import TestSupport

/// What the golden store `branches` holds.
struct BranchesContent: Sendable {
    static let chapters = TreeNumber(1)
    static let numbers = TreeNumber(2)
    static let texts = TreeNumber(3)
    static let covers = TreeNumber(4)
    static let payments = TreeNumber(300)

    static let trees = [
        TreeDeclaration(chapters, "chapters", facetCount: 3),
        TreeDeclaration(numbers, "numbers", columns: [.hashSum]),
        TreeDeclaration(texts, "texts", columns: [.hashSum], placement: .cold),
        TreeDeclaration(covers, "covers"),
        TreeDeclaration(TreeNumber(5), "nothing", facetCount: 16, placement: .cold),
        TreeDeclaration(
            payments, "payments", facetCount: 1,
            columns: [.sum(amount: 0), .bounds(amount: 0), .highest(amount: 0), .lowest(amount: 0), .fingerprint]),
    ]
    static let late = TreeDeclaration(TreeNumber(6), "late", facetCount: 1)

    /// Keys of one volume share some 280 bytes, so that separators within it are as long.
    static func chapter(_ volume: Int, _ chapter: Int) -> [UInt8] {
        let title = "\(UnicodeScalar(UInt8(0x61 + volume))). Of the journey of the lamplighter's daughter, "
        return Array((String(repeating: title, count: 5) + "chapter " + (chapter < 10 ? "0" : "") + "\(chapter)").utf8)
    }

    func writeSnapshot(_ transaction: inout Transaction) throws {
        try put(payments: 0..<300, &transaction)
        for volume in 0..<15 {
            for chapter in 0..<11 {
                let summary = Self.sentences(8, seed: UInt64(volume * 100 + chapter))
                try transaction.put(
                    Array(summary.utf8), forKey: Self.chapter(volume, chapter),
                    facets: FacetSet(rawValue: UInt16((volume + chapter) % 8)), in: Self.chapters)
            }
        }
        for number in 0..<260 {
            try transaction.put(
                Array("the number \(number * 7)".utf8), forKey: 0x0102_0304_0506_0000 + UInt64(number) * 7,
                in: Self.numbers)
        }
        for number in 0..<9 {
            let text = Self.sentences(80 + 10 * number, seed: UInt64(5000 + number))
            try transaction.put(Array(text.utf8), forKey: UInt64(number), in: Self.texts)
        }
        try transaction.put(Array("beside its key: 64 bytes at most".utf8), forKey: 9, in: Self.texts)
        // Noise does not compress, and is longer than a block.
        var noise = SeededGenerator(seed: 17)
        let bytes = (0..<17_000).map { _ in UInt8.random(in: 0...255, using: &noise) }
        try transaction.put(bytes, forKey: 10, in: Self.texts)
        for byteCount in [0, 1, 1024, 1025] {
            try transaction.put(
                [UInt8](repeating: 0x2E, count: byteCount), forKey: Array("\(byteCount) dots".utf8), in: Self.covers)
        }
    }

    /// Most have an amount; every tenth says that it has none, and the eleventh is too short for one.
    private func payment(_ number: Int) -> [UInt8] {
        if number % 11 == 10 { return [] }
        let amount: Int64 = number % 10 == 9 ? .min : Int64(number * number * 7919 % 20_011) - 10_000
        return (0..<8).map { UInt8(truncatingIfNeeded: amount >> Int64(8 * $0)) } + Array("for \(number)".utf8)
    }

    private func put(payments numbers: Range<Int>, _ transaction: inout Transaction) throws {
        for number in numbers {
            try transaction.put(
                payment(number), forKey: UInt64(number) << 8, facets: number % 3 == 0 ? FacetSet(Facet(0)) : [],
                in: Self.payments)
        }
    }

    func writeLog(_ transaction: inout Transaction) throws {
        for volume in [2, 5, 15] {
            for chapter in 9..<13 {
                try transaction.put(
                    Array("rewritten".utf8), forKey: Self.chapter(volume, chapter), facets: FacetSet(Facet(2)),
                    in: Self.chapters)
            }
        }
        for number in 40..<60 { try transaction.remove(0x0102_0304_0506_0000 + UInt64(number) * 7, in: Self.numbers) }
        try put(payments: 290..<320, &transaction)
        try transaction.remove(10, in: Self.texts)
        try transaction.put(Array(Self.sentences(40, seed: 6000).utf8), forKey: 11, in: Self.texts)
    }

    private static let words = [
        "lamp", "harbour", "winter", "letter", "cousin", "garden", "silence", "orchard", "ferry", "clock", "morning",
        "bridge", "stranger", "candle", "island", "mirror",
    ]

    /// Invented sentences of about forty bytes.
    static func sentences(_ count: Int, seed: UInt64) -> String {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let chosen = (0..<3).map { _ in words.randomElement(using: &generator) ?? "" }
            return "The \(chosen[0]) of the \(chosen[1]) kept the \(chosen[2]). "
        }.joined()
    }
}
