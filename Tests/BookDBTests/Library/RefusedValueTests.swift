import LibrarySupport
import Foundation
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// What cannot be kept as it is given is refused with the field's name, and nothing is changed on the way.
@Suite struct RefusedValueTests {
    private static func sentence(_ body: @escaping @Sendable (inout LibraryTransaction) throws -> Void) async -> String?
    {
        guard let store = try? BookStore.inMemory(device: 1) else { return nil }
        let error = await libraryError { try await store.write { try body(&$0) } }
        guard case .invalidValue(let sentence)? = error else { return nil }
        return sentence
    }

    @Test(arguments: [-40_000, -32_768, 32_767, 99_999, Int.max, Int.min])
    func `a year that rows and keys have no room for is refused by name`(year: Int) async throws {
        let ofWork = await Self.sentence { try $0.insert(Work("Emma", year: year)) }
        #expect(ofWork == "The year in which “Emma” was first published is \(year); it can be -32767 to 32766.")
        let ofEdition = await Self.sentence { library in
            try library.insert(Edition(of: try library.insert(Work("Emma")), publicationYear: year))
        }
        #expect(ofEdition == "The year of an edition is \(year); it can be -32767 to 32766.")
    }

    @Test func `a series has a name, and a change leaves work and entry what they are of`() async throws {
        let blank = await Self.sentence { try $0.insert(Work(title: "Emma", series: [SeriesMembership(name: " ")])) }
        #expect(blank == "A series of “Emma” is blank: it needs a name.")
        try await withLibrary { store in
            let (one, other) = (try await store.add("One"), try await store.add("Other"))
            try await store.updateEntry(of: other) { $0.status = .read }
            let moved = await libraryError { try await store.updateEntry(of: one) { $0.work = other } }
            #expect(moved == .invalidValue("An entry stays with its work, here \(one)."))
            let work = try #require(try store.snapshot.works[other])
            let replaced = await libraryError { try await store.update(one) { $0 = work } }
            #expect(replaced == .invalidValue("A work keeps its identifier, here \(one)."))
            #expect(await libraryError { try await store.updateEach([one]) { $0 = work } } == replaced)
            #expect(try store.snapshot.entries[other]?.status == .read)
        }
    }

    @Test func `every year that is taken comes back, in the work, its row and its place`() async throws {
        try await withLibrary { store in
            let years = [-32_767, -32_766, -750, 0, 1, 1999, 32_765, 32_766]
            for year in years.shuffled() {
                try await store.write { try $0.insert(Work("Year \(year)", year: year)) }
            }
            let items = store.snapshot.works.list(by: .year)
            #expect(items.map(\.year) == years)
            #expect(try items.map { try store.snapshot.works[$0.id]?.firstPublicationYear } == years)
        }
    }

    @Test(arguments: [1e300, -1e300, .nan, .infinity, 1e12 + 1])
    func `a date that is none is refused`(seconds: Double) async {
        let sentence = await Self.sentence {
            try $0.insert(Work("Emma", dateAdded: Date(timeIntervalSince1970: seconds)))
        }
        #expect(
            sentence == "The date on which “Emma” was added is no date, or further than 31,000 years from 1970.")
    }

    @Test func `negative pages, blank tags, and too many names are refused`() async {
        let pages = await Self.sentence { library in
            try library.insert(Edition(of: try library.insert(Work("Emma")), pageCount: -3))
        }
        #expect(pages == "An edition has 0 to 1000000000 pages, not -3.")
        for tag in ["", " ", "\t\u{3000}\n"] {
            let tags = await Self.sentence { library in
                try library.set(UserLibraryEntry(for: try library.insert(Work("Emma")), tags: ["classics", tag]))
            }
            #expect(tags == "A tag of “Emma” is blank: a tag has a letter, a number or a sign.")
        }
        let many = await Self.sentence { library in
            let id = try library.insert(Work("Emma"))
            try library.set(UserLibraryEntry(for: id, tags: (0...10_000).map { "tag \($0)" }))
        }
        #expect(many == "“Emma” has 10001 tags; a work has 10000 at most.")
    }

    @Test func `an ISBN that is given twice is kept once`() async throws {
        try await withLibrary { store in
            let id = try await store.write { library in
                let work = try library.insert(Work("Emma"))
                return try library.insert(
                    Edition(of: work, isbns: [try ISBN("0-306-40615-2"), try ISBN("978-0-306-40615-7")]))
            }
            #expect(try store.snapshot.editions[id]?.isbns.count == 1)
        }
    }

    /// Thousands of tags once cost their square: half a minute for forty thousand.
    @Test func `a work of ten thousand tags is listed under each, and changes as others do`() async throws {
        try await withLibrary { store in
            let tags = (0..<10_000).map { "tag \($0)" }
            let id = try await store.add("Emma")
            try await store.updateEntry(of: id) { $0.tags = tags }
            #expect(try store.snapshot.works.tags.count == 10_000)
            try await store.updateEntry(of: id) { $0.rating = Rating(stars: 4) }
            try await store.updateEntry(of: id) { $0.tags = Array(tags.dropFirst(9_990)) }
            #expect(try store.snapshot.works.tags.count == 10)
            try await store.update(id) { $0.title = "Emma Woodhouse" }
            #expect(store.snapshot.works.list(.tag("tag 9995")).titles == ["Emma Woodhouse"])
        }
    }
}
