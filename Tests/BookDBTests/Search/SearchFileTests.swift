import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore
@testable import Filing

/// The bytes of the search file.
@Suite struct SearchFileTests {
    private func library() async throws -> SearchableLibrary {
        let library = try SearchableLibrary(seed: 8)
        try await library.insert(120)
        try await library.store.compact()
        return library
    }

    private func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    @Test func `the parts are as long as the counts of the page say, and the lines are the rows'`() async throws {
        let library = try await library()
        let bytes = try library.searchFileBytes()
        let body = Array(bytes[4096..<4096 + number(bytes, 48, 8)])
        let counts = try #require(FormatPage("SEARCH.md")?.table("Counts"))
        var values: [String: Int] = [:]
        for row in counts.rows {
            let (offset, size) = (try #require(Int(row[0])), try #require(Int(row[1])))
            values[row[3]] = number(body, body.count - SearchFile.countsByteCount + offset, size)
        }
        let (leaves, rows) = (try #require(values["leaves"]), try #require(values["rows"]))
        let words = try #require(values["words"])
        let (text, wordBytes) = (try #require(values["textByteCount"]), try #require(values["wordByteCount"]))
        #expect(rows == 120 && values["ruleVersion"] == 6)
        let beside =
            12 * (leaves + 1) + 2 * rows + 6656 * 8 * ((leaves + 63) / 64) + 256 * ((words + 63) / 64) + 9 * words
        let places = try #require(values["placesByteCount"])
        #expect(body.count == text + beside + wordBytes + places + SearchFile.countsByteCount)
        let lines = body[..<text].split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        #expect(lines.count == rows)
        let items = Array(library.store.snapshot.works.list())
        for (line, item) in zip(lines, items) {
            let title = try #require(try library.store.snapshot.works[item.id]).title
            let folded = FoldedText(title).bytes
            #expect(line.prefix { $0 != 0x1E }.elementsEqual(folded.isEmpty ? Array(title.utf8) : folded))
        }
        try expectPlaces(in: library, Array(body[..<text]))
        let known = Set(body[..<text].split { $0 <= 0x20 }.map(Array.init))
        #expect(known.count == words)
    }

    /// The lists of rows, compared with the words in the lines.
    private func expectPlaces(in library: SearchableLibrary, _ text: [UInt8]) throws {
        let file = try #require(SearchScan(library.store.snapshot.version, .works).file)
        #expect(file.leafCount > 2)
        let lines = text.split(separator: SearchText.rowEnd, omittingEmptySubsequences: false).dropLast()
        let rows = lines.map { $0.split { $0 <= 0x20 }.map(Array.init) }
        for word in Set(rows.joined()) {
            let (anywhere, atBeginning) = try #require(file.words(with: TypoPattern(word, isLast: false), word))
            let found = try [anywhere, atBeginning].map { try #require(file.rows(with: $0)) }
            #expect(
                rows.indices.filter(found[0].contains)
                    == rows.indices.filter { row in
                        rows[row].contains { $0.firstRange(of: word) != nil }
                    })
            #expect(
                rows.indices.filter(found[1].contains)
                    == rows.indices.filter { row in
                        rows[row].contains { $0.starts(with: word) }
                    })
        }
        for (row, line) in lines.enumerated() {
            #expect(file.withLine(ofRow: row) { $0.copyBytes(0..<$0.byteCount) } == Array(line))
        }
    }

    @Test func `random lists of rows are the same, whether they are packed once or row by row`() {
        var random = SeededGenerator.forTest(fallback: 5)
        let rows = (0..<400).map { _ in (0..<Int(random.next() % 6)).map { _ in Int(random.next() % 40) } }
        // Numbered as they first come.
        var numbers: [Int: Int] = [:]
        func lists(stretchWordCount: Int) -> (bytes: [UInt8], ends: [UInt32]) {
            numbers = [:]
            var places = WordPlaces(stretchWordCount: stretchWordCount)
            for (row, words) in rows.enumerated() {
                for word in words {
                    let number = numbers[word] ?? numbers.count
                    numbers[word] = number
                    places.add(row, toWord: number)
                }
            }
            places.finish()
            let order = Array((0..<numbers.count).reversed())
            var bytes: [UInt8] = []
            places.forEachList(order) { bytes += $0 }
            return (bytes, places.listEnds(order))
        }
        let whole = lists(stretchWordCount: .max)
        for count in [1, 7, 100] {
            let pieces = lists(stretchWordCount: count)
            #expect(pieces.bytes == whole.bytes && pieces.ends == whole.ends, "\(count)")
        }
        // And they say in which rows each word is.
        var start = 0
        for (number, end) in zip((0..<numbers.count).reversed(), whole.ends) {
            var (row, difference, shift) = (-1, 0, 0)
            var found: [Int] = []
            for byte in whole.bytes[start..<Int(end)] {
                difference |= Int(byte & 0x7F) << shift
                shift += 7
                guard byte < 0x80 else { continue }
                row += difference
                found.append(row)
                (difference, shift) = (0, 0)
            }
            #expect(found == rows.indices.filter { rows[$0].contains { numbers[$0] == number } })
            start = Int(end)
        }
    }

    @Test func `what a list cuts from a row is found all the same`() async throws {
        let library = try await library()
        let names = (1...40).map { "Contributor Number\(String(repeating: "x", count: $0))" } + ["Zenobia Quartermaine"]
        let id = try await library.store.write { library in
            let authors = try names.map { try library.insert(Author($0)) }
            var work = Work(
                title: "An anthology " + String(repeating: "of long titles ", count: 90) + "and a kaleidoscope")
            work.authors = authors
            work.subtitle = String(repeating: "being a collection ", count: 60) + "by persiflage"
            return try library.insert(work)
        }
        for _ in 0..<2 {
            let works = library.store.snapshot.works
            let item = try #require(works.list().first { $0.id == id })
            #expect(item.title.utf8.count <= 400 && item.authors.utf8.count <= 200)
            for text in [
                "kaleidoscope", "kaleidoscop anthology", "kaliedoscope", "quartermaine", "akaleidoscope", "persiflage",
            ] {
                #expect(try works.search(text).first(1).map(\.item.id) == [id], "\(text)")
            }
            #expect(try works.search("kaleidoscope", in: .titles).first().map(\.item.id) == [id])
            try await library.store.compact()
        }
        #expect(SearchScan(library.store.snapshot.version, .works).file != nil)
        expectSound(library.store.snapshot)
    }

    @Test func `a library of a few works has no search file, and one of many has`() async throws {
        for (count, hasFile) in [(499, false), (500, true)] {
            let fileSystem = MemoryFileSystem()
            let store = try BookStore(at: "L", fileSystem: fileSystem, device: 1)
            try await store.fill(withSample: count)
            try await store.compact()
            #expect(try fileSystem.names(inDirectory: "L").contains { $0.hasPrefix("search-") } == hasFile)
            #expect((SearchScan(store.snapshot.version, .works).file != nil) == hasFile)
            try await store.close()
        }
    }

    @Test func `a forged search file may mislead and never traps`() async throws {
        let library = try await library()
        try await library.change(3)
        let sound = try library.searchFileBytes()
        library.random = SeededGenerator.forTest(fallback: 21)
        let bodyEnd = 4096 + number(sound, 48, 8)
        for round in 0..<60 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...4, using: &library.random) {
                // Half of them where the numbers are.
                let start = round.isMultiple(of: 2) ? bodyEnd - SearchFile.countsByteCount : 4096
                let place = Int.random(in: start..<bodyEnd, using: &library.random)
                bytes[place] = UInt8.random(in: 0...255, using: &library.random)
            }
            try library.replaceSearchFile(with: Self.sealed(bytes, bodyEnd: bodyEnd))
            try await library.reopen()
            for _ in 0..<4 {
                let search = library.store.snapshot.works.search(library.query(), filter: .owned)
                _ = try search.first(20)
                _ = try await search.count()
            }
        }
        try await library.store.close()
    }

    /// The bytes with checksums that fit them.
    private static func sealed(_ bytes: [UInt8], bodyEnd: Int) -> [UInt8] {
        var sealed = Array(bytes[..<bodyEnd])
        var table: [UInt8] = []
        for start in stride(from: 4096, to: bodyEnd, by: 1 << 16) {
            table += littleEndian(CRC32C.checksum(Array(sealed[start..<min(start + 1 << 16, bodyEnd)])))
        }
        sealed.replaceSubrange(44..<48, with: littleEndian(CRC32C.checksum(table)))
        sealed.replaceSubrange(4092..<4096, with: littleEndian(CRC32C.checksum(Array(sealed[..<4092]))))
        return sealed + table
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    }
}
