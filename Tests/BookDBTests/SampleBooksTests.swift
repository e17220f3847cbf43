import Testing

@testable import BookDB
@testable import RecordStore

@Suite struct SampleBooksTests {
    @Test func `the same seed gives the same books and another seed others`() {
        func titles(_ seed: UInt64) -> [String] { SampleBooks(seed: seed).prefix(500).map(\.work.title) }
        #expect(titles(7) == titles(7))
        #expect(titles(7) != titles(8))
    }

    @Test func `the first books of seed 7 are these on every platform`() {
        let books = Array(SampleBooks(seed: 7).prefix(3))
        #expect(books.map(\.work.title) == ["Elalmoor: Les Étoiles", "The Cold Legend", "Los Años de Elalminster"])
        #expect(books.map(\.work.firstPublicationYear) == [1972, 1982, 1959])
        let isbns = books.map { $0.editions[0].isbns[0].description }
        #expect(isbns == ["9780071929196", "9786245560905", "9788592824327"])
    }

    @Test func `five thousand books look like a library`() {
        let books = Array(SampleBooks(seed: 7).prefix(5_000))
        let authorCount = books.map(\.newAuthors.count).reduce(0, +)
        #expect((1_300...1_700).contains(authorCount))
        #expect(Set(books.map(\.work.title)).count > 4_000)
        #expect(Set(books.map(\.work.language)).count == SampleLanguage.all.count)
        let editions = books.flatMap(\.editions)
        #expect((6_000...7_500).contains(editions.count))
        let isbns = editions.flatMap(\.isbns)
        #expect(Set(isbns).count == isbns.count)
        #expect(books.contains { $0.work.title.hasPrefix("The ") } && books.contains { !$0.work.series.isEmpty })
        #expect(Set(books.compactMap(\.entry?.status)).count == 5)
        #expect(books.contains { $0.entry?.rating != nil } && books.contains { $0.work.description != nil })
        #expect(editions.contains { $0.unparsedISBN != nil })
    }

    @Test func `authors are numbered in the order they appear`() {
        var count = 0
        for book in SampleBooks(seed: 3).prefix(2_000) {
            count += book.newAuthors.count
            #expect(!book.authors.isEmpty && book.authors.allSatisfy { $0 < count })
            #expect(Set(book.authors).count == book.authors.count)
        }
    }

    @Test func `random numbers are those of SplitMix64`() {
        var random = SampleRandom(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test func `a choice is within its bounds and small numbers are the likely ones of a skewed choice`() {
        var random = SampleRandom(seed: 5)
        var low = 0
        for _ in 0..<10_000 {
            #expect((0..<7).contains(random.below(7)))
            let skewed = random.skewed(1_000)
            #expect((0..<1_000).contains(skewed))
            if skewed < 250 { low += 1 }
            #expect([0, 2].contains(random.weighted([1, 0, 3])))
        }
        #expect(low > 5_500)
    }
}
