import LibrarySupport
import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// The bytes of an app's records.
struct RecordCodingTests {
    private let id = ID<Everything>(device: 1, counter: 2)
    private var everything: Everything { Everything(id: id) }

    @Test
    func `a field of random bytes is found as a walk finds it, and what is wrong before it is said as a walk says it`()
    {
        var generator = SeededGenerator.forTest(fallback: 14)
        for _ in 0..<4000 {
            var bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                // Mostly headers of low tags, short lengths and the ends of numbers.
                UInt8.random(in: 0...(Bool.random(using: &generator) ? 255 : 40), using: &generator)
            }
            if Bool.random(using: &generator) {
                var writer = RecordWriter()
                for tag in 1...6 as ClosedRange<UInt32> where Bool.random(using: &generator) {
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: writer.write(tag, number: UInt64.random(in: 0...(.max), using: &generator))
                    case 1: writer.write(tag, eightBytes: 7)
                    default: writer.write(tag, [UInt8](repeating: 9, count: Int.random(in: 0...140, using: &generator)))
                    }
                }
                bytes = writer.finish()
            }
            for tag in 1...7 as ClosedRange<UInt32> {
                let found = Self.found { try TaggedWalk.place(ofTag: tag, in: bytes) }
                let walked = Self.walked(tag, bytes)
                if found != walked { Issue.record("\(bytes), \(tag): \(found) and not \(walked)") }
            }
        }
    }

    private static func walked(_ tag: UInt32, _ bytes: [UInt8]) -> String {
        found {
            var walk = TaggedWalk(bytes, 0..<bytes.count)
            var place = TaggedPlace.missing
            while let field = try walk.next(), field.tag <= tag {
                if field.tag == tag { place = field.place }
            }
            return place
        }
    }

    private static func found(_ place: () throws -> TaggedPlace) -> String {
        do { return "\(try place())" } catch { return "\(error)" }
    }

    @Test func `a record of every kind of field is read as it was written`() throws {
        let kind = RecordKind<Everything>.current
        let bytes = try kind.encode(everything)
        #expect(try kind.decode(bytes, id: id) == everything)
        for _ in 0..<5 { #expect(try kind.encode(everything) == bytes, "equal records are equal bytes") }
    }

    @Test func `the bytes of a record are those of the page`() throws {
        let kind = RecordKind<Loan>.current
        let loan = Loan(id: ID(rawValue: 5), work: ID(device: 1, counter: 4), borrower: "Ann", due: nil)
        let page = try #require(FormatPage("LIBRARY.md"))
        let start = try #require(page.lines.firstIndex { $0.hasPrefix("The record of kind `Loan`") })
        let example = page.lines[start...].filter { $0.hasPrefix("    ") }.prefix(2)
        let bytes = example.joined(separator: " ").split(separator: " ").filter {
            $0.count == 2 && Int($0, radix: 16) != nil
        }
        #expect(try kind.encode(loan).hexadecimal == bytes.joined())
        #expect((0...13).map { FieldNumber.tag($0) } == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17])
        for number in 0...40 { #expect(FieldNumber.number(ofTag: FieldNumber.tag(number)) == number) }
    }

    /// The first thing to know of `Codable`: what the compiler makes throws for a missing key. What stands in the type as defaults
    /// is known of a whole record, by its `init()`, and of no element of a list.
    @Test func `a field that was never written never fails to be read, within an element of a list either`() throws {
        struct Old: Record {
            struct Part: Codable { var room = "hall" }
            var id: ID<Old> = .unassigned
            var parts = [Part()]
            enum CodingKeys: Int, CodingKey { case id, parts }
        }
        struct New: Record, Equatable {
            enum Level: Int, Codable, CaseIterable { case low = 7, high = 8 }
            struct Nested: Codable, Equatable {
                var text = "x"
                var numbers = [1]
            }
            struct Part: Codable, Equatable {
                var room = "attic"
                var number = 9
                var text = "not this"
                var flag = true
                var names = ["not these"]
                var counts = ["not": 1]
                var nested = Nested()
                var level = Level.high
                var day = Day(daysSince1970: 1)
                var due: Date? = .now
            }
            var id: ID<New> = .unassigned
            var parts: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, parts }
        }
        let bytes = try RecordKind<Old>.current.encode(Old())
        let read = try RecordKind<New>.current.decode(bytes, id: ID(rawValue: 3))
        #expect(
            read.parts == [
                New.Part(
                    room: "hall", number: 0, text: "", flag: false, names: [], counts: [:],
                    nested: New.Nested(text: "", numbers: []), level: .low, day: Day(daysSince1970: 0), due: nil)
            ])
    }

    @Test func `what was never written is what the type has there by default`() throws {
        struct Old: Record {
            struct Place: Codable { var room = "hall" }
            var id: ID<Old> = .unassigned
            var place = Place()
            enum CodingKeys: Int, CodingKey { case id, place }
        }
        struct New: Record, Equatable {
            enum Level: Int, Codable { case low = 7 }
            struct Place: Codable, Equatable {
                var room = ""
                var shelf = 4
                private enum CodingKeys: String, CodingKey { case room, shelf }
            }
            var id: ID<New> = .unassigned
            var place = Place()
            var borrower = "nobody"
            var level = Level.low
            var due: Day? = Day(daysSince1970: 4)
            enum CodingKeys: Int, CodingKey { case id, place, borrower, level, due }
        }
        let bytes = try RecordKind<Old>.current.encode(Old())
        let read = try RecordKind<New>.current.decode(bytes, id: ID(rawValue: 3))
        #expect(read == New(id: ID(rawValue: 3), place: New.Place(room: "hall", shelf: 4), due: nil))
    }

    @Test func `a default that is another each time is none for older records`() throws {
        struct Old: Record {
            var id: ID<Old> = .unassigned
            enum CodingKeys: Int, CodingKey { case id }
        }
        struct New: Record {
            var id: ID<New> = .unassigned
            var title = "untitled"
            var uuid = UUID()
            var written = Date()
            var tags = [UUID().uuidString]
            var pages = 4
            enum CodingKeys: Int, CodingKey { case id, title, uuid, written, tags, pages }
        }
        struct Said: Record {
            var id: ID<Said> = .unassigned
            var written = Date()
            enum CodingKeys: Int, CodingKey { case id, written = 3 }
            static let blank = Said(written: .distantPast)
        }
        let bytes = try RecordKind<Old>.current.encode(Old())
        for _ in 0..<2 {
            let read = try RecordKind<New>.current.decode(bytes, id: ID(rawValue: 3))
            #expect(read.title == "untitled" && read.pages == 4 && read.tags.isEmpty)
            #expect(
                read.written.timeIntervalSinceReferenceDate == 0
                    && read.uuid.uuidString.allSatisfy { "0-".contains($0) })
        }
        #expect(try RecordKind<Said>.current.decode(bytes, id: ID(rawValue: 3)).written == .distantPast)
    }

    @Test func `indexes and unique keys are made anew when a default changes`() async throws {
        struct Before: Record {
            static let recordName = "Loan"
            var id: ID<Before> = .unassigned
            var name = ""
            enum CodingKeys: Int, CodingKey { case id, name }
        }
        struct First: Record {
            static let recordName = "Loan"
            var id: ID<First> = .unassigned
            var name = ""
            var status = "new"
            var tags: Set<String> = ["a", "b", "c", "d"]
            enum CodingKeys: Int, CodingKey { case id, name, status, tags }
            var tagCount: Int { tags.count }
            static let indexes = [Index(\.status), Index(\.tagCount, name: "tags")]
            static let uniqueKeys = [Unique(\.name, \.status)]
        }
        struct Second: Record {
            static let recordName = "Loan"
            var id: ID<Second> = .unassigned
            var name = ""
            var status = "open"
            var tags: Set<String> = ["a", "b", "c", "d"]
            enum CodingKeys: Int, CodingKey { case id, name, status, tags }
            var tagCount: Int { tags.count }
            static let indexes = [Index(\.status), Index(\.tagCount, name: "tags")]
            static let uniqueKeys = [Unique(\.name, \.status)]
        }
        try await withLibrary { store in
            let old = try await store.insert(Before(name: "x"))
            try await store.insert(First(name: "y"))
            #expect(try store.snapshot.records(First.self).where(\.status, equals: "new").count == 2)
            #expect(try store.snapshot.records(First.self).where(\.tagCount, equals: 4).count == 2)
            try await store.insert(Second(name: "z"))
            let records = store.snapshot.records(Second.self)
            #expect(try records.where(\.status, equals: "open").map(\.name) == ["x", "z"])
            #expect(try records.sorted(by: \.status).map(\.name) == ["y", "x", "z"])
            #expect(await libraryError { try await store.insert(Second(name: "x")) } != nil)
            try await store.update(ID<Second>(rawValue: old.rawValue)) { $0.status = "done" }
            #expect(try store.snapshot.records(Second.self).sorted(by: \.status).map(\.name) == ["x", "y", "z"])
            try await store.write { library in _ = try library.delete(ID<Second>(rawValue: old.rawValue)) }
            #expect(try store.snapshot.records(Second.self).sorted(by: \.status).page(limit: 9).count == 2)
        }
    }

    @Test func `a part whose type has no value to begin with says what to do`() throws {
        struct Old: Record {
            struct Part: Codable { var name = "" }
            var id: ID<Old> = .unassigned
            var parts: [Part] = [Part()]
            enum CodingKeys: Int, CodingKey { case id, parts }
        }
        struct New: Record {
            enum Level: Int, Codable { case low = 7 }
            struct Part: Codable {
                var name = ""
                var level = Level.low
            }
            var id: ID<New> = .unassigned
            var parts: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, parts }
        }
        let error = #expect(throws: LibraryError.self) {
            _ = try RecordKind<New>.current.decode(try RecordKind<Old>.current.encode(Old()), id: .unassigned)
        }
        #expect(
            error?.sentence
                == "The field “level” has no value of its type Level; make the type `CaseIterable`, and its first case stands there."
        )
    }

    @Test func `an update keeps what a newer version wrote and this one does not know`() throws {
        struct Newer: Record, Equatable {
            enum Level: String, Codable { case low, highest }
            struct Place: Codable, Equatable {
                var room = "", floor = 0
                enum CodingKeys: Int, CodingKey { case room, floor }
            }
            var id: ID<Newer> = .unassigned
            var text = "old", extra = "kept"
            var level = Level.highest
            var place = Place(room: "r", floor: 3)
            var optional: Level? = .highest
            enum CodingKeys: Int, CodingKey { case id, text, extra = 50, level = 2, place, optional }
            static let upgrades = [Upgrade<Newer>(3) { _ in }]
        }
        struct Older: Record {
            enum Level: String, Codable, CaseIterable { case low }
            struct Place: Codable, Equatable {
                var room = ""
                enum CodingKeys: Int, CodingKey { case room }
            }
            var id: ID<Older> = .unassigned
            var text = ""
            var level = Level.low
            var place = Place()
            var optional: Level?
            enum CodingKeys: Int, CodingKey { case id, text, level, place, optional }
        }
        let (newer, older) = (RecordKind<Newer>.current, RecordKind<Older>.current)
        let stored = try newer.encode(Newer())
        var record = try older.decode(stored, id: ID(rawValue: 1))
        #expect(record.level == .low && record.optional == nil && record.place.room == "r")
        record.text = "new"
        let updated = try older.encode(record, replacing: stored)
        #expect(try newer.decode(updated, id: .unassigned) == Newer(text: "new"))
        let walk = try older.encode(record, replacing: updated)
        #expect(walk == updated, "and of the version that wrote them")
    }

    @Test func `numbers out of range and records nested too deep are refused when they are written`() throws {
        struct Negative: Record {
            var id: ID<Negative> = .unassigned
            var text = ""
            enum CodingKeys: Int, CodingKey { case id, text = -1 }
        }
        struct Deep: Record, Equatable {
            indirect enum Chain: Codable, Equatable, Sendable { case end, link(Chain) }
            var id: ID<Deep> = .unassigned
            var chain = Chain.end
            enum CodingKeys: Int, CodingKey { case id, chain }
        }
        #expect(throws: LibraryError.self) { try RecordKind<Negative>.current.encode(Negative()) }
        var deep = Deep()
        for _ in 0..<30 { deep.chain = .link(deep.chain) }
        let bytes = try RecordKind<Deep>.current.encode(deep)
        #expect(try RecordKind<Deep>.current.decode(bytes, id: .unassigned) == deep)
        for _ in 0..<60 { deep.chain = .link(deep.chain) }
        let error = #expect(throws: LibraryError.self) { try RecordKind<Deep>.current.encode(deep) }
        #expect(error?.sentence.contains("64 levels") ?? false)
        var chain: [UInt8] = []
        for level in 0..<600 {
            var field = RecordWriter()
            field.write(FieldNumber.nameTag, (level.isMultiple(of: 2) ? "_0" : "link").utf8)
            field.write(FieldNumber.valueTag, chain)
            var record = RecordWriter()
            record.write(FieldNumber.namedTag, field.finish())
            chain = record.finish()
        }
        var record = RecordWriter()
        record.write(FieldNumber.tag(1), chain)
        let tooDeep = record.finish()
        let refusal = #expect(throws: LibraryError.self) {
            try RecordKind<Deep>.current.decode(tooDeep, id: .unassigned)
        }
        #expect(refusal?.sentence.contains("nested too deep") ?? false)
    }

    @Test func `random bytes and random changes to a record are read or refused, and never more`() throws {
        var random = SeededGenerator.forTest(fallback: 11)
        let kind = RecordKind<Everything>.current
        let sound = try kind.encode(everything)
        var readCount = 0
        for round in 0..<3_000 {
            var bytes = round % 10 == 0 ? (0..<Int.random(in: 0...80, using: &random)).map { _ in 0 } : sound
            if round % 10 == 0 { for index in bytes.indices { bytes[index] = .random(in: 0...255, using: &random) } }
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.remove(at: index)
                default: bytes.insert(.random(in: 0...255, using: &random), at: index)
                }
            }
            do throws(LibraryError) {
                let record = try kind.decode(bytes, id: id)
                readCount += 1
                // What can be read can be written; what is written is read as the same.
                let written = try kind.encode(record)
                #expect(try kind.encode(try kind.decode(written, id: id)) == written)
                _ = try kind.encode(record, replacing: bytes)
            } catch {
                #expect(!error.description.isEmpty)
            }
            // Any bytes that are fields leave as a line, which gives the same line again.
            let json = RecordJSON(kind: "A", fields: kind.described)
            guard let line = try? json.line(ID(rawValue: 1), bytes) else { continue }
            let again = try json.bytes(of: try JSONReader.value(of: line))
            let second = try json.line(ID(rawValue: 1), again)
            #expect(second == line)
        }
        #expect(readCount > 100)
    }

    @Test func `a list that claims more than it holds is refused`() throws {
        struct Gaps: Record {
            var id: ID<Gaps> = .unassigned
            var gaps: [Int?] = []
            enum CodingKeys: Int, CodingKey { case id, gaps }
        }
        let kind = RecordKind<Gaps>.current
        for index in [UInt64(1), 1 << 40, .max] {
            var list = RecordWriter()
            list.write(FieldNumber.absentTag, number: index)
            var record = RecordWriter()
            record.write(FieldNumber.tag(1), list.finish())
            let bytes = record.finish()
            #expect(throws: LibraryError.self) { try kind.decode(bytes, id: .unassigned) }
        }
    }
}
