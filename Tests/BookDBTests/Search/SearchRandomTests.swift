import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// Random libraries against the oracle. A failure is replayed with `BOOKDB_SEED=<the seed printed>`.
struct SearchRandomTests {
    @Test func `searches of a random library find what the oracle does, in its order`() async throws {
        let seed = SeededGenerator.seed(for: "searches of a random library find what the oracle does")
        let library = try SearchableLibrary(seed: seed)
        try await library.insert(150)
        try await library.expectSearches(8, "seed \(seed), never compacted")
        for round in 0..<5 {
            try await library.store.compact()
            try await library.expectSearches(8, "seed \(seed), round \(round), compacted")
            try await library.change([1, 5, 40][round % 3])
            if round % 2 == 1 { try await library.reopen() }
            try await library.insert(round * 4)
            try await library.expectSearches(12, "seed \(seed), round \(round), changed")
        }
        try await library.store.close()
    }

    @Test func `a damaged search file changes no answer`() async throws {
        let seed = SeededGenerator.seed(for: "a damaged search file changes no answer")
        let library = try SearchableLibrary(seed: seed)
        try await library.insert(120)
        try await library.store.compact()
        try await library.change(3)
        let sound = try library.searchFileBytes()
        for round in 0..<12 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...3, using: &library.random) {
                let place = Int.random(in: sound.indices, using: &library.random)
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &library.random)
            }
            if round % 4 == 3 { bytes.removeLast(Int.random(in: 1..<sound.count, using: &library.random)) }
            try library.replaceSearchFile(with: bytes)
            try await library.reopen()
            try await library.expectSearches(2, "seed \(seed), round \(round)")
        }
        try await library.store.close()
    }

    @Test func `words are as far apart as the table of distances says`() {
        var random = SeededGenerator.forTest(fallback: 5)
        let alphabet = Array("abcdeéж").map { Array(String($0).utf8) }
        for _ in 0..<3000 {
            let words = (0..<2).map { _ in
                Array((0..<Int.random(in: 1...9, using: &random)).map { _ in random.pick(alphabet)! }.joined())
            }
            let letters = words.map { Array(String(decoding: $0, as: UTF8.self).unicodeScalars) }
            let distances = SearchOracle.distances(letters[0], letters[1])
            for isLast in [false, true] {
                let pattern = TypoPattern(words[0], isLast: isLast)
                for limit in stride(from: 1, through: pattern.allowed, by: 1) {
                    let isBeginning = isLast && letters[0].count >= 4
                    let expected = isBeginning ? distances.dropFirst().min()! : distances.last!
                    let found = words[1].withBytes { pattern.edits($0, 0..<$0.byteCount, limit: limit) }
                    let reaches = expected <= limit
                    #expect((found <= limit) == reaches, "\(letters) \(isLast) \(limit): \(found), \(expected)")
                    if reaches, !isBeginning { #expect(found == expected) }
                    guard reaches else { continue }
                    // As the one word of 64 that is there.
                    let sets = Set(letters[1].map { TypoPattern.number(of: $0.value) })
                    let may = pattern.mayReach { sets.contains($0) ? 1 << 7 : 0 }
                    #expect((limit == 1 ? may.one : may.two) & 1 << 7 != 0)
                    #expect(pattern.mayReach(letterCount: letters[1].count, edits: limit))
                }
            }
        }
    }
}
