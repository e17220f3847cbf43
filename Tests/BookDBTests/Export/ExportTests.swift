import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

struct ExportTests {
    @Test func `every record is one line of JSON, authors first, by identifier`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                let author = try library.insert(Author("Ursula K. Le Guin"))
                let work = try library.insert(.full(by: author))
                try library.insert(.full(of: work))
                try library.set(.full(for: work))
            }
            #expect(
                try lines(store) == [
                    #"{"type":"author","id":"00b00c-1","name":"Ursula K. Le Guin","sortName":"Le Guin, Ursula K."}"#,
                    #"{"type":"work","id":"00b00c-2","title":"The Dispossessed","subtitle":"An Ambiguous Utopia","#
                        + #""originalTitle":"Les dépossédés","sortTitle":"Dispossessed","authors":["00b00c-1"],"#
                        + #""language":"en","firstPublicationYear":-800,"coverURL":"https://example.org/cover.jpg","#
                        + #""description":"Two worlds and a wall.\nOne man.","subjects":["anarchism","","moons"],"#
                        + #""series":[{"name":"Hainish Cycle","number":"5"},{"name":"SF Masterworks"}],"#
                        + #""reviewStatus":"needs-attention","dateAddedMilliseconds":1600000000123,"#
                        + #""excerpt":"There was a wall."}"#,
                    #"{"type":"edition","id":"00b00c-3","work":"00b00c-2","isbns":["9780061054884","9780547928227"],"#
                        + #""unparsedISBN":"0-06-1054","title":"","publisher":"Harper","pageCount":387,"#
                        + #""format":"Paperback","publicationYear":1974,"language":"eng","identifiers":"#
                        + #"[{"source":"goodreads","value":"13651"},{"source":"librarything","value":"8"}]}"#,
                    #"{"type":"entry","work":"00b00c-2","status":"abandoned","rating":4.25,"#
                        + #""dateStarted":"2020-10-25","dateFinished":"1969-12-31","readCount":3,"notes":"Borrowed.","#
                        + #""review":"","tags":["sf","sf","***"],"isOwned":true}"#,
                ])
        }
    }

    @Test func `two libraries with the same content export the same bytes`() async throws {
        let seed = SeededGenerator.seed(for: "two libraries with the same content export the same bytes")
        var exports: [[String]] = []
        for batch in [1, 13] {
            try await withLibrary { store in
                var history = LibraryHistory(seed: seed)
                // The same steps in commits of another size.
                for _ in 0..<(130 / batch) {
                    history = try await store.write(.memory) { [history] library in
                        var history = history
                        for _ in 0..<batch { try history.step(&library) }
                        return history
                    }
                }
                exports.append(try lines(store))
            }
        }
        #expect(exports[0] == exports[1])
        #expect(!exports[0].isEmpty)
    }

    @Test func `an export of more records than one batch holds is complete and in order`() async throws {
        try await withLibrary { store in
            let ids = try await store.write { library in
                try (0..<1_300).map { try library.insert(Work("Book \($0)")) }
            }
            #expect(try lines(store).count == 1_300)
            #expect(try lines(store).map { line in ids.first { line.contains("\"\($0)\"") } } == ids)
        }
    }

    @Test func `an error of the receiver ends the export`() async throws {
        struct Full: Error {}
        try await withLibrary { store in
            try await store.add("Emma")
            #expect(throws: Full.self) { try store.snapshot.export { _ in throw Full() } }
        }
    }

    private func lines(_ store: BookStore) throws -> [String] {
        try store.snapshot.exportedLines()
    }
}
