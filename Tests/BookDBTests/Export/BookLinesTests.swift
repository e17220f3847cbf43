import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// A library of books leaves as lines and comes back as the same.
@Suite struct BookLinesTests {
    private struct Lent: Record {
        var id: ID<Lent> = .unassigned
        var work: Reference<Work> = .unassigned
        var edition: Reference<Edition>?
        var to = ""
        enum CodingKeys: Int, CodingKey { case id = 0, work = 1, edition = 2, to = 3 }
        static let schema = Schema {
            Link(\.work, onDelete: .cascade)
            Link(\.edition, onDelete: .nullify)
        }
    }

    @Test func `books and an app's records come back byte for byte, with every list`() async throws {
        var history = LibraryHistory(seed: SeededGenerator.seed(for: "books come back", fallback: 31))
        let store = try BookStore.inMemory(device: 3)
        history = try await store.write(.memory) { [history] library in
            var history = history
            for _ in 0..<400 { try history.step(&library) }
            return history
        }
        let work = try #require(store.snapshot.works.list().first?.id)
        let edition = try await store.write { try $0.insert(Edition(of: work)) }
        try await store.insert(Lent(work: work, edition: edition, to: "Ann"))
        let lines = try store.snapshot.exportedLines()
        let copy = try BookStore.inMemory(device: 4)
        let report = try await copy.importLines(lines)
        #expect(report.refused == 0 && report.inserted == lines.count, "\(report.refusals.prefix(3))")
        #expect(try copy.snapshot.exportedLines() == lines)
        for order in WorkOrder.allCases {
            #expect(
                Array(copy.snapshot.works.list(by: order)) == Array(store.snapshot.works.list(by: order)), "\(order)")
        }
        #expect(try copy.snapshot.works.tags == store.snapshot.works.tags)
        expectSound(copy.snapshot)
        #expect(try await copy.importLines(lines.reversed()).known == lines.count)
        // Links that came with the lines hold.
        try await copy.write { library in _ = try library.delete(work) }
        #expect(try copy.snapshot.records(Lent.self).count == 0)
        // In any order, what names comes behind what it names.
        var random = SeededGenerator(seed: 1)
        let kinds = lines.filter { $0.contains(#""type":"kind""#) }
        let mixed = try BookStore.inMemory(device: 4)
        #expect(try await mixed.importLines(kinds + lines.shuffled(using: &random)).refused == 0)
        #expect(try mixed.snapshot.exportedLines() == lines)
        expectSound(mixed.snapshot)
        for store in [store, copy, mixed] { try await store.close() }
    }

    /// Values of known fields came in as fields of a later version, and nobody had looked at them.
    @Test(arguments: [
        #""type":"work","id":"00000a-1","title":"T","dateAddedMilliseconds":5,"unknown":"220178""#,
        #""type":"work","id":"00000a-1","title":"T","dateAddedMilliseconds":5,"unknown":"420161""#,
        #""type":"author","id":"00000a-1","name":"A","unknown":"120178""#,
        #""type":"work","id":"00000a-1","title":"T","dateAddedMilliseconds":9000000000000000000"#,
        #""type":"work","id":"00000a-1","title":"T","dateAddedMilliseconds":-1000000000000001"#,
    ])
    func `a line with a value that nothing else could bring in is refused`(members: String) async throws {
        let store = try BookStore.inMemory()
        let report = try await store.importLines(["{" + members + "}"])
        #expect(report.refused == 1 && report.inserted == 0, "\(report.refusals)")
        expectSound(store.snapshot)
        try await store.close()
    }

    /// The stored line was compared with the one that said it twice, and was another.
    @Test func `a line that says something twice changes nothing the second time`() async throws {
        let lines = [
            #"{"type":"author","id":"00000a-1","name":"J. R. R. Tolkien"}"#,
            #"{"type":"work","id":"00000a-2","title":"T","authors":["00000a-1","00000a-1"],"dateAddedMilliseconds":5}"#,
            #"{"type":"edition","id":"00000a-3","work":"00000a-2","isbns":["0261102214","9780261102217"],"#
                + #""identifiers":[{"source":"a","value":"1"},{"source":"a","value":"1"}]}"#,
        ]
        let store = try BookStore.inMemory()
        #expect(try await store.importLines(lines).inserted == 3)
        let again = try await store.importLines(lines)
        #expect(again.known == 3 && again.refused == 0, "\(again.refusals)")
        let other = lines[2].replacing("9780261102217", with: "9780261103344")
        #expect(try await store.importLines([other]).refused == 1)
        expectSound(store.snapshot)
        try await store.close()
    }

    /// 4.3 came in as 4.25, and nobody was told.
    @Test func `a rating that the library would round is refused`() async throws {
        let store = try BookStore.inMemory()
        func line(_ rating: String) -> String {
            #"{"type":"entry","work":"00000a-1","status":"read","rating":"# + rating + "}"
        }
        let work = #"{"type":"work","id":"00000a-1","title":"T","dateAddedMilliseconds":5}"#
        let refused = try await store.importLines([work] + ["4.3", "0.3", "4.9999", "6"].map(line))
        #expect(refused.refused == 4 && refused.inserted == 1, "\(refused.refusals)")
        #expect(try await store.importLines([line("4.250")]).inserted == 1)
        #expect(try store.snapshot.entries[try #require(ID("00000a-1"))]?.rating == Rating(stars: 4.25))
        try await store.close()
    }

    @Test func `texts that do not go into one commit come in with several`() async throws {
        let text = String(repeating: "x", count: 3 << 20)
        let store = try BookStore.inMemory()
        for number in 0..<12 {
            var work = Work(title: "Book \(number)")
            work.description = text
            try await store.write(.memory) { [work] library in _ = try library.insert(work) }
        }
        let lines = try store.snapshot.exportedLines()
        let copy = try BookStore.inMemory()
        let report = try await copy.importLines(lines)
        #expect(report.inserted == 12 && report.refused == 0)
        #expect(copy.snapshot.commitNumber > 1 && copy.snapshot.commitNumber < 12)
        for store in [store, copy] { try await store.close() }
    }

    @Test func `a text that is not UTF-8 is refused with its place`() async throws {
        let store = try BookStore.inMemory()
        var line = Array(#"{"type":"author","id":"00000a-1","name":"Zoë"}"#.utf8)
        let place = try #require(line.firstIndex(of: 0xC3))
        line[place + 1] = UInt8(ascii: "x")
        let sound = Array(#"{"type":"author","id":"00000b-1","name":"Zo\uFFFD"}"#.utf8)
        let report = try await store.importLines(utf8: [line, sound])
        #expect(report.inserted == 1 && report.refused == 1)
        #expect(report.refusals.first?.reason == "This is no JSON: a text is not UTF-8, at byte 41.", "\(report)")
        try await store.close()
    }

    @Test func `lines of another store say what it knows, and the rest is as in records that are made here`()
        async throws
    {
        let store = try BookStore.inMemory(device: 3)
        let lines = [
            #"{"type":"author","id":"00000a-1","name":"Ursula K. Le Guin"}"#,
            #"{"type":"work","id":"00000a-7","title":"The Dispossessed","authors":["00000a-1"],"dateAddedMilliseconds":5}"#,
            #"{"type":"entry","work":"00000a-7","status":"read","rating":4.5}"#,
        ]
        #expect(try await store.importLines(lines).inserted == 3)
        #expect(try await store.importLines(lines).known == 3)
        let work = try #require(ID<Work>("00000a-7"))
        let details = try #require(try store.snapshot.works.details(work))
        #expect(details.authors.map(\.sortName) == [Author("Ursula K. Le Guin").sortName])
        #expect(details.work.reviewStatus == Work("").reviewStatus && details.work.added == Milliseconds(since1970: 5))
        let entry = UserLibraryEntry(for: work)
        #expect(details.entry?.isOwned == entry.isOwned && details.entry?.readCount == entry.readCount)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a line of a book that cannot be taken is refused in words`() async throws {
        let store = try BookStore.inMemory(device: 3)
        let lines = [
            #"{"type":"author","id":"000001-1","name":"Ann","sortName":"Ann"}"#,
            #"{"type":"author","id":"000001-1","name":"Bob","sortName":"Bob"}"#,
            #"{"type":"author","id":"000001-2","name":"Eve","sortName":"Eve","born":1900}"#,
            #"{"type":"author","id":"0","name":"Eve","sortName":"Eve"}"#,
            #"{"type":"work","id":"000001-3","title":"T","authors":["000001-9"],"reviewStatus":"unreviewed","dateAddedMilliseconds":0}"#,
            #"{"type":"work","id":"000001-4","title":" ","reviewStatus":"unreviewed","dateAddedMilliseconds":0}"#,
            #"{"type":"work","id":"000001-5","title":"T","reviewStatus":"odd","dateAddedMilliseconds":0}"#,
            #"{"type":"work","id":"000001-6","title":"T","authors":[7],"reviewStatus":"unreviewed","dateAddedMilliseconds":0}"#,
            #"{"type":"edition","id":"000001-7","work":"000001-3"}"#,
            #"{"type":"edition","id":"000001-7","work":"000001-3","isbns":["1"]}"#,
            #"{"type":"entry","work":"000001-3","status":"read","rating":9,"readCount":1,"isOwned":false}"#,
            #"{"type":"entry","work":"000001-3","status":"read","readCount":1,"isOwned":7}"#,
        ]
        let report = try await store.importLines(lines)
        let reasons = report.refusals.sorted { $0.line < $1.line }.map { "\($0.line): \($0.reason)" }
        #expect(report.inserted == 1 && report.refused == 11, "\(reasons)")
        let expected = [
            "2: The author 000001-1, Bob is in the library already, and is another.",
            "3: An author cannot be taken: its “born” is not known in this version.",
            "4: The “id” of an author is missing, or not as it is written.",
            "5: “T” names the author 000001-9, who is not in the library.", "6: A work needs a title.",
            "7: The “reviewStatus” of a work is missing", "8: The “authors” of a work is missing",
            "9: An edition belongs to a work, and there is no work 000001-3.",
            "10: The “isbns” of an edition is missing",
            "11: The “rating” of an entry is missing", "12: The “isOwned” of an entry is missing",
        ]
        for (reason, beginning) in zip(reasons, expected) { #expect(reason.hasPrefix(beginning), "\(reason)") }
        try await store.close()
    }

    @Test func `a library of records alone refuses books by line`() async throws {
        let library = try RecordLibrary.inMemory(device: 3)
        let report = try await library.importLines([#"{"type":"author","id":"000001-1","name":"Ann","sortName":"Ann"}"#]
        )
        #expect(report.refusals.map(\.reason) == ["A line of the type “author” is of what this library does not keep."])
        try await library.close()
    }
}
