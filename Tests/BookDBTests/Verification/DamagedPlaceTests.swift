import LibrarySupport
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// How `verify` tells of damage.
struct DamagedPlaceTests {
    private static let original = Task { try await DamageableLibrary.make(works: 40) }

    private func library() async throws -> DamageableLibrary { try await Self.original.value.copy() }

    @Test func `each damaged page is one place with a part, a loss and a next step, and no other finding`()
        async throws
    {
        let library = try await library()
        let bytes = try library.bytes(of: library.snapshotPath)
        var parts: Set<String> = []
        for page in 0..<bytes.count / 4096 {
            guard bytes[page * 4096..<(page + 1) * 4096].contains(where: { $0 != 0 }) else { continue }
            try library.flip(page: page)
            let verification = try library.verify()
            try #require(verification.damage.count == 1, "page \(page): \(verification.damage)")
            let place = verification.damage[0]
            parts.insert(place.part)
            #expect(place.file == (try library.snapshotPath) && !place.loss.isEmpty && place.inside != nil)
            let lost = try #require(place.recordsLost)
            switch place.part {
            case "head": #expect(lost == 0 && place.fix == ["compact"])
            case let part where part.hasPrefix("index."):
                #expect(lost == 0 && place.fix == ["reindex", "--only", String(part.dropFirst(6))])
                #expect(place.loss.hasPrefix("nothing is lost"))
            default: #expect(place.fix == ["repair"])
            }
            // Only the files' own check complains; the others say what they could not look at.
            let complaints = verification.checks.filter { !$0.passed }.map(\.name)
            #expect(complaints.allSatisfy { ["file heads", "checksums", "text blocks", "opening"].contains($0) })
            try library.flip(page: page)
        }
        #expect(parts.isSuperset(of: ["head", "index.title", "records.books", "records.authors"]))
        #expect(parts.isSuperset(of: ["records.meta", "texts", "index.author-names"]))
    }

    @Test func `a stretch of the list is told by its first and last title`() async throws {
        // Of forty, all rows lie in one page.
        let library = try await DamageableLibrary.make(works: 120)
        let titles = try library.open(.readOnly).snapshot.works.list().map(\.title)
        // In the list alone, a title stands before its author.
        try library.flip("Book 0030Author 0030")
        let place = try #require(try library.verify().damage.first)
        #expect(place.part == "index.title")
        let words = try #require(place.inside).split(separator: "“").dropFirst().map { $0.prefix { $0 != "”" } }
        try #require(words.count == 2, "\(place)")
        let first = try #require(titles.firstIndex(of: String(words[0])))
        let last = try #require(titles.firstIndex(of: String(words[1])))
        #expect((first...last).contains(30) && last - first < 119)
    }

    @Test func `each of several damaged stretches is told by titles of its own`() async throws {
        let library = try await DamageableLibrary.make(works: 300)
        let titles = try library.open(.readOnly).snapshot.works.list().map(\.title)
        let (rows, records) = (try library.copy(), try library.copy())
        let hit = [30, 150, 270]
        for number in hit {
            let digits = String(10_000 + number).dropFirst()
            try rows.flip("Book \(digits)Author \(digits)")
            try records.flip("Subject \(digits)")
        }
        let stretches = try rows.verify().damage.map { place in
            try #require(place.inside).split(separator: "“").dropFirst().map { String($0.prefix { $0 != "”" }) }
        }
        try #require(stretches.count == 3)
        for (number, ends) in zip(hit, stretches) {
            try #require(ends.count == 2, "\(ends)")
            let first = try #require(titles.firstIndex(of: ends[0]))
            let last = try #require(titles.firstIndex(of: ends[1]))
            #expect((first...last).contains(number) && last - first < 100)
        }
        let losses = try records.verify().damage.map(\.loss)
        try #require(losses.count == 3)
        for (number, loss) in zip(hit, losses) {
            let named = titles.indices.filter { loss.contains("“\(titles[$0])”") }
            #expect(named.count == 3 && named.allSatisfy { abs($0 - number) < 50 }, "\(loss)")
        }
    }

    @Test func `records behind a damaged page of them are still checked`() async throws {
        let library = try await library()
        let database = try Database.open(
            at: DamageableLibrary.path, trees: LibraryContents.books.allTrees, fileSystem: library.fileSystem)
        let last = try #require(try library.open(.readOnly).snapshot.works.list().last).id
        // A row that is gone is found, although the first page of works cannot be read.
        try await database.write { transaction in
            var keys: [[UInt8]] = []
            try transaction.scan(LibraryTree.addedOrder) { key, _ in
                keys.append(key.copyBytes(0..<key.byteCount))
                return true
            }
            for key in keys where key.suffix(8).elementsEqual([UInt8].bigEndian(last.rawValue)) {
                try transaction.remove(key, in: LibraryTree.addedOrder)
            }
        }
        try await database.close()
        try library.flip("Subject 0000")
        let verification = try library.verify()
        let orders = try #require(verification.checks.first { $0.name == "orders" })
        #expect(orders.items == ["“Book 0039” is missing in the order by date."])
    }

    @Test func `a rotten commit and two lost heads are for repair`() async throws {
        var library = try await library()
        try library.flip(page: 0)
        try library.flip(library.bytes(of: library.snapshotPath).count - 100, of: library.snapshotPath)
        var verification = try library.verify()
        #expect(verification.damage.allSatisfy { $0.part == "head" && $0.fix == ["repair"] })
        #expect(!verification.isSound)

        library = try await self.library()
        let store = try library.open()
        try await store.add("Late", by: "Author 0001")
        try await store.add("Later", by: "Author 0001")
        try await store.close()
        try library.flip(64 + 60, of: library.logPath)
        verification = try library.verify()
        #expect(verification.damage.map(\.part) == ["log"] && verification.damage[0].fix == ["repair"])
    }
}
