#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

struct IDTests {
    @Test func `the text of an identifier is its device in hexadecimal and its counter`() {
        let id = ID<Work>(device: 0xA3F09C, counter: 1024)
        #expect(id.description == "a3f09c-1024")
        #expect(ID("a3f09c-1024") == id)
        #expect(ID<Work>(device: 1, counter: (1 << 40) - 1).description == "000001-1099511627775")
        let greatest: UInt64 = (1 << 40) - 1
        #expect(ID<Work>("000001-1099511627775")?.counter == greatest)
    }

    @Test(arguments: [
        "", "-", "a3f09c", "a3f09c-", "a3f09-1", "a3f09cc-1", "+3f09c-1", "a3f09c-+1", "a3f09c--1",
        "a3f09c-1099511627776", "g3f09c-1", "a3f09c-1-2", "a3f09c-١",
    ])
    func `text that is no identifier is nil`(_ text: String) {
        #expect(ID<Work>(text) == nil)
    }

    @Test func `identifiers order by device and then by age, as their bytes do`() {
        let ids = [ID<Work>(device: 1, counter: 300), ID(device: 1, counter: 4_000_000), ID(device: 2, counter: 1)]
        #expect(ids.sorted() == ids)
        let bytes = ids.map { [UInt8].bigEndian($0.rawValue) }
        #expect(bytes.sorted { $0.lexicographicallyPrecedes($1) } == bytes)
    }

    @Test func `coded values read back and say what is wrong`() throws {
        struct Coded: Codable, Equatable {
            var id: ID<Work>
            var status: ReadingStatus
            var review: ReviewStatus
            var rating: Rating
        }
        let value = Coded(
            id: ID(device: 0xB00C, counter: 7), status: .wantToRead, review: .needsAttention,
            rating: Rating(stars: 3.75)!)
        let json = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(Coded.self, from: json) == value)
        #expect(String(decoding: json, as: UTF8.self).contains("\"want-to-read\""))
        let wrong = Data(#"{"id":"b00c-7","status":"reading","review":"reviewed","rating":3}"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Coded.self, from: wrong) }
    }
}

struct RatingTests {
    @Test func `a rating is a quarter star to five stars`() {
        #expect(Rating(stars: 4.5)?.quarterStars == 18)
        #expect(Rating(stars: 4.5)?.description == "4.5")
        #expect(Rating(stars: 0.25)?.description == "0.25")
        #expect(Rating(stars: 5)?.description == "5")
        #expect(Rating(stars: 0) == nil)
        #expect(Rating(stars: 5.1) == nil)
        #expect(Rating(stars: .nan) == nil)
        #expect(Rating(quarterStars: 21) == nil)
        #expect(Rating(quarterStars: 0) == nil)
    }
}

struct DateAddedTests {
    @Test func `a date is kept in whole milliseconds, at once and after storing`() {
        let date = Date(timeIntervalSince1970: 1_600_000_000.123_456)
        let work = Work(title: "Emma", dateAdded: date)
        #expect(work.added.since1970 == 1_600_000_000_123)
        #expect(Milliseconds(work.dateAdded) == work.added)
        #expect(Milliseconds(Date(timeIntervalSince1970: 1e12)).since1970 == 1_000_000_000_000_000)
        for seconds in [Double.infinity, -.infinity, .nan, 1e12 + 1, 1e300] {
            #expect(Milliseconds(Date(timeIntervalSince1970: seconds)) == .unstorable)
        }
    }

    @Test func `every stored time is the same after a round through a date`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<10_000 {
            let time = Milliseconds(
                since1970: .random(in: -1_000_000_000_000_000...1_000_000_000_000_000, using: &random))
            #expect(Milliseconds(time.date) == time)
        }
    }
}
