import Testing

@testable import RecordStore

/// Records are searched, found by the beginning of an identifier and exported by who has not got their types.
@Suite struct StoredSearchTests {
    private struct Note: Record {
        var id: ID<Note> = .unassigned
        var title = ""
        var body: String?
        var tags: [String] = []
        var size = 0
        enum CodingKeys: Int, CodingKey { case id = 0, title = 1, body = 2, tags = 3, size = 4 }
    }

    @Test func `a search by names finds what a search by key paths finds`() async throws {
        try await withLibrary { library in
            try await library.write { transaction in
                try transaction.insert(Note(title: "Rent", body: "for November", tags: ["home"]))
                try transaction.insert(Note(title: "Insurance", body: "of the house"))
                try transaction.insert(Note(title: "Groceries", tags: ["home", "food"]))
            }
            let snapshot = library.snapshot
            let kind = try #require(try snapshot.kind(named: "Note"))
            #expect(kind.searchedFields == ["title", "body", "tags"])
            for words in ["rent", "insurence", "home", "november rent", "food xyzzy", "zzzz", ""] {
                let typed = try snapshot.records(Note.self).search(words, in: \.title, \.body, \.tags)
                let named = try snapshot.search(words, in: kind)
                #expect(
                    named.count == typed.count && named.matches.map(\.record.id) == typed.matches.map(\.id.description))
                #expect(named.matches.map(\.isGuess) == typed.matches.map(\.isGuess), "\(words)")
                #expect(named.matches.map(\.missingWords) == typed.matches.map(\.missingWords))
            }
            #expect(try snapshot.search("home", in: kind, fields: ["title", "body"]).count == 0)
            let match = try #require(try snapshot.search("novem", in: kind).matches.first)
            #expect(match.highlights(in: "for November").count == 1 && match.band == "wordBeginnings")
            #expect(
                throws: LibraryError.invalidArgument(
                    "Note has no text “size” to search; its texts are title, body, tags.")
            ) {
                try snapshot.search("x", in: kind, fields: ["size"])
            }
        }
    }

    @Test func `the beginning of an identifier finds those that begin so`() async throws {
        try await withLibrary { library in
            try await library.write { transaction in
                for number in 0..<120 { try transaction.insert(Note(title: "\(number)")) }
                try transaction.insert(LedgerAccount(name: "a"))
            }
            let snapshot = library.snapshot
            #expect(try snapshot.identifiers(beginningWith: "00b00c").count == 121)
            #expect(try snapshot.identifiers(beginningWith: "00B0").count == 121)
            let found = try snapshot.identifiers(beginningWith: "00b00c-12", limit: 2)
            #expect(
                found.count == 3 && found.first.map { "\($0.kind) \($0.id)" } == ["Note 00b00c-12", "Note 00b00c-120"])
            for none in ["", "00b00d", "00b-1", "00b00c-0", "00b00c-1-2", "xyz", "00b00c1", "ffffff-9999999999999"] {
                #expect(try snapshot.identifiers(beginningWith: none).count == 0, "\(none)")
            }
        }
    }

    @Test func `some kinds alone are exported, and what they link to is missed where they come in`() async throws {
        try await withLibrary { library in
            let account = try await library.insert(LinkedAccount(name: "a"))
            try await library.insert(LinkedTransfer(account: account, note: "Rent"))
            var lines: [String] = []
            try library.snapshot.export(only: ["LinkedTransfer"]) { lines.append($0) }
            #expect(lines.count == 2 && lines[0].hasPrefix(#"{"type":"kind","kind":"LinkedTransfer""#))
            let copy = try RecordLibrary.inMemory()
            let report = try await copy.importLines(lines)
            #expect(report.inserted == 1 && report.refusals.map(\.line) == [2])
            #expect(report.refusals[0].reason == "Its account is LinkedAccount \(account), which is not there.")
            var accounts: [String] = []
            try library.snapshot.export(only: ["LinkedAccount"]) { accounts.append($0) }
            #expect(try await copy.importLines(accounts + lines).refused == 0)
            try await copy.close()
        }
    }
}

private struct LinkedAccount: Record {
    var id: ID<LinkedAccount> = .unassigned
    var name = ""
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
}

private struct LinkedTransfer: Record {
    var id: ID<LinkedTransfer> = .unassigned
    var account: Reference<LinkedAccount> = .unassigned
    var note = ""
    enum CodingKeys: Int, CodingKey { case id = 0, account = 1, note = 2 }
    static let schema = Schema { Link(\.account, onDelete: .cascade) }
}
