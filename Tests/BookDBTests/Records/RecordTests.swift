import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

struct RecordTests {
    private let author = ID<Author>(device: 7, counter: 1)
    private let work = ID<Work>(device: 7, counter: 2)

    @Test func `every field of a work is decoded as it was encoded`() throws {
        var work = Work.full(by: author)
        work.id = self.work
        let record = work.encodedRecord()
        let (decoded, texts) = try decodeWork(record)
        #expect(texts == TextKind.description.flag)
        work.description = nil
        #expect(decoded == work)
        var again = decoded
        again.description = "kept elsewhere"
        #expect(again.encodedRecord() == record)
    }

    @Test func `every field of an edition is decoded as it was encoded`() throws {
        var edition = Edition.full(of: work)
        edition.id = ID(device: 7, counter: 3)
        let record = edition.encodedRecord()
        #expect(try Edition.decode(record.span.bytes, id: edition.id, work: work) == edition)
    }

    @Test func `every field of an author is decoded as it was encoded`() throws {
        var author = Author("Ōe Kenzaburō", sortName: "Ōe")
        author.id = self.author
        #expect(try Author.decode(author.encodedRecord().span.bytes, id: author.id) == author)
    }

    @Test func `every field of an entry is decoded as it was encoded`() throws {
        var entry = UserLibraryEntry.full(for: work)
        let record = entry.encodedRecord()
        let (decoded, texts) = try decodeEntry(record)
        #expect(texts == TextKind.notes.flag | TextKind.review.flag)
        entry.notes = nil
        entry.review = nil
        #expect(decoded == entry)
    }

    @Test func `a record whose fields have their defaults is empty`() throws {
        #expect(UserLibraryEntry(for: work).encodedRecord().isEmpty)
        #expect(Edition(of: work).encodedRecord().isEmpty)
        #expect(try decodeEntry([]).entry == UserLibraryEntry(for: work))
    }

    @Test func `the bytes of a record are those of the format`() {
        var work = Work(title: "It", authors: [author], year: 1986, dateAdded: .init(timeIntervalSince1970: 0.001))
        work.reviewStatus = .reviewed
        #expect(
            work.encodedRecord() == [
                0x0A, 2, 0x49, 0x74,  // 1 title, bytes
                0x11, 0, 0, 7, 0, 0, 0, 0, 1,  // 2 authors, eight bytes
                0x18, 2,  // 3 added, 1 ms
                0x20, 0x84, 0x1F,  // 4 year, 1986
                0x30, 1,  // 6 review status
            ])
    }

    @Test func `a field from the future survives an update by this version`() async throws {
        try await withLibrary { store in
            let id = try await store.add("Emma", by: "Jane Austen")
            // Tag 15 in its place between known fields, tag 200 at the end, and a review status there is no case for.
            let future: [UInt8] = [0x7A, 3, 1, 2, 3], farFuture: [UInt8] = [0xC0, 0x0C, 42]
            let stored = try await store.write { library in
                let known = try #require(try library.work(id)).encodedRecord()
                let status: [UInt8] = [0x30, 9]
                try library.put(known + status + future + farFuture, forKey: .work(id), isNew: false)
                return known + status + future + farFuture
            }
            let read = try #require(try store.snapshot.works[id])
            #expect(read.reviewStatus == .unreviewed)
            #expect(read.encodedRecord() == stored)

            try await store.update(id) { $0.subtitle = "A Novel" }
            let updated = try #require(try store.snapshot.works[id])
            #expect(updated.unknownFields.fields.map(\.tag) == [6, 15, 200])
            #expect(updated.unknownFields.fields.map(\.bytes) == [[0x30, 9], future, farFuture])
            #expect(updated.subtitle == "A Novel")

            try await store.update(id) { $0.reviewStatus = .reviewed }
            let reviewed = try #require(try store.snapshot.works[id])
            #expect(reviewed.reviewStatus == .reviewed)
            #expect(reviewed.unknownFields.fields.map(\.tag) == [15, 200])
        }
    }

    @Test(
        arguments: [
            ([0x0A], "a number is cut short"),
            ([0x0A, 5, 0x41], "a field of 5 bytes is cut short"),
            (
                [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
                "a field of 18446744073709551615 bytes"
            ),
            ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02], "a number has more than 64 bits"),
            ([0x18, 0x80, 0x00], "a number is written longer than it needs to be"),
            ([0x00], "the tag of a field is out of range"),
            ([0x18, 2, 0x0A, 1, 0x41], "field 1 comes after field 3"),
            ([0x11, 0, 0], "a field of 8 bytes is cut short"),
            ([0x0F], "field 1 has the unknown wire type 7"),
            ([0x08, 1], "field 1 is a number where bytes are expected"),
            ([0x12, 0], "field 2 is bytes where a number is expected"),
        ] as [([UInt8], String)])
    func `hostile bytes are a problem in words`(_ record: [UInt8], _ problem: String) {
        #expect {
            try decodeWork(record)
        } throws: { error in
            (error as? RecordProblem)?.description.hasPrefix(problem) ?? false
        }
    }

    @Test func `no bytes whatever trap`() throws {
        let seed = SeededGenerator.seed(for: "no bytes whatever trap")
        var random = SeededGenerator(seed: seed)
        let samples = [
            Work.full(by: author).encodedRecord(), Edition.full(of: work).encodedRecord(),
            UserLibraryEntry.full(for: work).encodedRecord(), Author("Ann").encodedRecord(),
        ]
        for _ in 0..<20_000 {
            var record = samples.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: record[Int.random(in: record.indices, using: &random)] = .random(in: 0...255, using: &random)
                case 1: record = Array(record.prefix(Int.random(in: 1...record.count, using: &random)))
                default:
                    record.insert(.random(in: 0...255, using: &random), at: .random(in: record.indices, using: &random))
                }
            }
            _ = try? decodeWork(record)
            _ = try? decodeEntry(record)
            _ = try? Edition.decode(record.span.bytes, id: ID(device: 7, counter: 3), work: work)
            _ = try? Author.decode(record.span.bytes, id: author)
            let row = record.span.bytes
            if StoredRow.isReadable(row) {
                _ = (
                    StoredRow.title(row), StoredRow.authors(row), StoredRow.coverURL(row, StoredRow.texts(row)),
                    StoredRow.year(row)
                )
            }
        }
    }

    @Test func `a record that cannot be read is damage, named after the work`() async throws {
        let store = try BookStore.inMemory(device: 1)
        let id = try await store.add("Emma", by: "Jane Austen")
        try await store.write { library in try library.put([0x0A], forKey: .work(id), isNew: false) }
        #expect {
            try store.snapshot.works[id]
        } throws: { error in
            guard case .damaged(let finding) = error as? LibraryError else { return false }
            return finding.contains(id.description)
        }
        #expect(!LibraryVerifier.verify(store.snapshot).isSound)
        // The row is another matter: the list goes on.
        #expect(store.snapshot.works.list()[0].title == "Emma")
    }

    @Test func `no tag is used twice or reserved`() {
        let work: [UInt32] = [
            WorkTag.title, WorkTag.authors, WorkTag.added, WorkTag.firstPublicationYear, WorkTag.coverURL,
            WorkTag.reviewStatus, WorkTag.language, WorkTag.subtitle, WorkTag.originalTitle, WorkTag.sortTitle,
            WorkTag.subjects, WorkTag.series, WorkTag.texts,
        ]
        #expect(Set(work).count == work.count)
        #expect(WorkTag.retired.union([ReservedTag.stamps]).isDisjoint(with: work))
    }

    @discardableResult
    private func decodeWork(_ record: [UInt8]) throws(RecordProblem) -> (work: Work, texts: UInt64) {
        try Work.decode(record.span.bytes, id: work)
    }

    private func decodeEntry(_ record: [UInt8]) throws(RecordProblem) -> (entry: UserLibraryEntry, texts: UInt64) {
        try UserLibraryEntry.decode(record.span.bytes, work: work)
    }
}
