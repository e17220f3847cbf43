import TestSupport
import Testing

@testable import RecordStore

/// Records found by what was typed, as works are.
struct RecordSearchTests {
    private struct Note: Record, Equatable {
        var id: ID<Note> = .unassigned
        var title = ""
        var body: String?
        var tags: [String] = []
        var day = Day(daysSince1970: 0)
        enum CodingKeys: Int, CodingKey { case id, title, body, tags, day }
        static let schema = Schema { Order("newest", .descending(\.day)) }
    }

    private func found(_ text: String, in titles: [String]) async throws -> [String] {
        let store = try RecordLibrary.inMemory()
        try await store.write(.memory) { library in
            for title in titles { try library.insert(Note(title: title)) }
        }
        let found = try store.snapshot.records(Note.self).search(text, in: \.title)
        #expect(found.count == found.matches.count)
        try await store.close()
        return try found.matches.map { try ($0.isGuess ? "?" : "") + $0.title }
    }

    @Test func `a field that is absent is not taken for the one behind it`() async throws {
        struct Entry: Record {
            var id: ID<Entry> = .unassigned
            var payee: String?
            var note = ""
            var tags: [String] = []
            enum CodingKeys: Int, CodingKey { case id = 0, payee = 1, note = 2, tags = 3 }
        }
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        try await store.insert(Entry(payee: nil, note: "rent"))
        try await store.insert(Entry(payee: "Rent", note: "flat"))
        let found = try store.snapshot.records(Entry.self).search("rent", in: \.payee, \.note)
        #expect(try found.matches.map { try $0.note } == ["flat", "rent"])
        let tagged = try store.snapshot.records(Entry.self).search("rent", in: \.tags, \.payee, \.note)
        #expect(tagged.count == 2)
        try await store.close()
    }

    @Test func `typed text that is no identifier has none, and a limit is not negative`() async throws {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        for text in ["00b00c-18446744073709551615", "00b00c-99999999999999999999", "00b00c-1099511627776", "00b00c-0"] {
            #expect(try store.snapshot.identifiers(beginningWith: text).count == 0)
        }
        #expect(throws: LibraryError.self) { try store.snapshot.identifiers(beginningWith: "00b00c", limit: -1) }
        try await store.close()
    }

    @Test func `the best come first: titles, words that begin so, and words that hold it`() async throws {
        let titles = ["Car rent", "Parental leave", "Rent", "Rent in May", "Renting", "Food"]
        #expect(
            try await found("rent", in: titles) == ["Rent", "Rent in May", "Renting", "Car rent", "Parental leave"])
        #expect(try await found("RÉNT may", in: titles) == ["Rent in May"])
        #expect(try await found("may rent", in: titles) == ["Rent in May"])
        #expect(try await found("", in: titles) == titles)
        #expect(try await found("zzz", in: titles) == [])
    }

    @Test func `typos, words run together and missing words are forgiven when nothing else is found`() async throws {
        let titles = ["Groceries at the market", "Coffee house", "Marketing course", "Insurance"]
        #expect(try await found("grocerise", in: titles) == ["?Groceries at the market"])
        #expect(try await found("coffeehouse", in: titles) == ["?Coffee house"])
        #expect(try await found("insuranec", in: titles) == ["?Insurance"])
        #expect(try await found("coffee zebra", in: titles) == ["?Coffee house"])
        let store = try RecordLibrary.inMemory()
        try await store.insert(Note(title: "Coffee house"))
        let records = store.snapshot.records(Note.self)
        let match = try #require(try records.search("coffee zebra", in: \.title).matches.first)
        #expect(match.missingWords == ["zebra"])
        #expect(match.highlights(in: "Coffee house").map { "Coffee house"[$0] } == ["Coffee"])
        #expect(try records.search("cofee", in: \.title, forgiving: false).matches.isEmpty)
        #expect(try records.search("ouse", in: \.title, matching: .beginnings, forgiving: false).matches.isEmpty)
        try await store.close()
    }

    @Test func `several fields are looked through, optional ones and lists too, and the first is the title`()
        async throws
    {
        let store = try RecordLibrary.inMemory()
        try await store.write(.memory) { library in
            try library.insert(Note(title: "!!!", body: "Zürich"))
            try library.insert(Note(title: "b", tags: ["travel", "Zürich by night"]))
            try library.insert(Note(title: "Zurich", body: nil))
        }
        let records = store.snapshot.records(Note.self)
        let found = try records.search("zurich", in: \.title, \.body, \.tags)
        #expect(try found.matches.map { try $0.title } == ["Zurich", "!!!", "b"] && found.count == 3)
        #expect(try records.search("!!!", in: \.title, \.body).matches.map { try $0.body } == ["Zürich"])
        #expect(try records.search("night travel", in: \.tags).count == 1)
        try await store.close()
    }

    private static let words = ["rent", "car", "café", "no", "note", "über", "uber", "may", "ma", "x"]

    /// What has every word, whatever its marks and capitals.
    private static func holds(_ text: String, _ query: [String]) -> Bool {
        func plain(_ text: String) -> String {
            text.lowercased().replacing("é", with: "e").replacing("ü", with: "u")
        }
        return query.allSatisfy { plain(text).contains(plain($0)) }
    }

    @Test(arguments: 1...4)
    func `random texts are found in a snapshot, an order and a transaction as a look at each says`(
        seed: UInt64
    ) async throws {
        let store = try RecordLibrary.inMemory()
        let notes = try await store.write(.memory) { library in
            var random = SeededGenerator(seed: seed)
            var notes: [Note] = []
            for _ in 0..<400 {
                let title = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    Self.words.randomElement(using: &random)!
                }
                var note = Note(
                    title: title.joined(separator: " "), day: Day(daysSince1970: .random(in: 0..<30, using: &random)))
                note.id = try library.insert(note)
                notes.append(note)
            }
            return notes
        }
        var random = SeededGenerator(seed: seed + 100)
        for _ in 0..<60 {
            let query = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.words.randomElement(using: &random)!
            }
            let text = query.joined(separator: " ")
            let expected = Set(notes.filter { Self.holds($0.title, query) }.map(\.id))
            let list = try store.snapshot.list(Note.self, "newest")
            let found = try store.snapshot.records(Note.self).search(text, in: \.title, limit: 500)
            let sure = found.matches.filter { !$0.isGuess }.map(\.id)
            #expect(Set(sure) == expected && sure.count == expected.count, "seed \(seed): \(text)")
            #expect(found.count == found.matches.count)
            let ordered = try list.search(text, in: \.title, limit: 500)
            #expect(Set(ordered.matches.map(\.id)) == Set(found.matches.map(\.id)))
            for (band, matches) in Dictionary(grouping: ordered.matches.filter { !$0.isGuess }, by: \.band) {
                let days = try matches.map { try $0.day }
                #expect(days == days.sorted(by: >), "\(band)")
            }
            let few = try store.snapshot.records(Note.self).search(text, in: \.title, limit: 5)
            #expect(few.matches.map(\.id) == found.matches.prefix(5).map(\.id) && few.count == found.count)
            let works = try await store.write(.memory) { library in
                try library.records(Note.self).search(text, in: \.title, limit: 500).matches.map(\.id)
            }
            #expect(works == found.matches.map(\.id))
        }
        try await store.close()
    }

    @Test func `a transaction finds what it has written, and a record that cannot be read is left out`() async throws {
        let store = try RecordLibrary.inMemory()
        try await store.write(.memory) { library in
            let damaged = try library.insert(Note(title: "rent one"))
            try library.insert(Note(title: "rent two"))
            #expect(try library.records(Note.self).search("rent", in: \.title).count == 2)
            try library.put([0xFF], forKey: damaged.rawValue, in: RecordKind<Note>.current.tree)
            #expect(
                try library.records(Note.self).search("rent", in: \.title).matches.map { try $0.title } == ["rent two"])
            #expect(throws: LibraryError.self) { try library.records(Note.self).search("rent", in: \.title, limit: -1) }
            #expect(try library.records(Note.self).search("rent", in: \.title, limit: .max).count == 1)
            #expect(try library.records(Note.self).search("rent", in: \.title, limit: 0).count == 1)
        }
        try await store.close()
    }

    @Test func `a text that is no UTF-8 is found by what is read of it`() async throws {
        let store = try RecordLibrary.inMemory()
        let id = try await store.insert(Note(title: "Car rent"))
        let tree = RecordKind<Note>.current.tree
        let bytes = try #require(try store.snapshot.version.recordBytes(id.rawValue, in: tree))
        let blank = try #require(bytes.firstIndex(of: UInt8(ascii: " ")))
        try await store.database.write { trees in
            // Begins a letter of two bytes, which would take the next with it.
            var spoiled = bytes
            spoiled[blank] = 0xC3
            try trees.put(spoiled, forKey: id.rawValue, in: tree)
        }
        let match = try #require(try store.snapshot.records(Note.self).search("rent", in: \.title).matches.first)
        #expect(try match.title == "Car\u{FFFD}rent")
        try await store.close()
    }

    @Test func `a search ends when its task is cancelled`() async throws {
        let store = try RecordLibrary.inMemory()
        try await store.insert(Note(title: "rent"))
        let snapshot = store.snapshot
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try snapshot.records(Note.self).search("rent", in: \.title).count
        }
        await #expect(throws: LibraryError.cancelled) { try await task.value }
        try await store.close()
    }
}
