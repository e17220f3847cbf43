import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// What a repair makes of a library that is damaged in its snapshot.
struct RepairTests {
    /// Made once: 40 works in some 30 pages.
    private static let original = Task { try await DamageableLibrary.make(works: 40) }

    private func library() async throws -> DamageableLibrary { try await Self.original.value.copy() }

    @Test func `a sound library is saved whole`() async throws {
        let library = try await library()
        let (store, report) = try await library.repaired()
        #expect(report.isComplete && report.damage.isEmpty)
        #expect(try store.snapshot.exported() == library.open(.readOnly).snapshot.exported())
        #expect(report[.work].saved == 40 && report[.edition].saved == 40 && report[.entry].saved == 14)
        expectSound(store.snapshot)
    }

    @Test func `each page in turn is damaged: what does not lie there is saved as it was, what does is listed`()
        async throws
    {
        let library = try await library()
        let sound = try library.open(.readOnly).snapshot.exported()
        let pageCount = try library.bytes(of: library.snapshotPath).count / 4096
        var listed: Set<String> = []
        for page in 0..<pageCount {
            try library.flip(page: page)
            let salvage = try Salvage(at: DamageableLibrary.path, fileSystem: library.fileSystem).report
            let (store, report) = try await library.repaired(at: "Saved \(page).bookdb")
            let saved = try store.snapshot.exported()
            // A text belongs to the work or to the entry of that identifier.
            var named = Set(report.items.map { "\($0.kind) \($0.id)" })
            for item in report.items where item.kind == .text {
                named.formUnion(["work \(item.id)", "entry \(item.id)"])
            }
            listed.formUnion(report.items.map { "\($0.kind) \($0.id)" })
            for (name, line) in sound where saved[name] != line {
                #expect(named.contains(name), "page \(page) changed \(name), and nothing says so")
            }
            #expect(Set(saved.keys).isSubset(of: sound.keys), "nothing is invented")
            for tree in salvage.trees {
                let kinds = BookStore.lostKinds.filter { $0.tree == tree.declaration.number && $0 != .text }
                guard !kinds.isEmpty else { continue }
                let count = report.items.count { kinds.contains($0.kind) }
                #expect(count == tree.lostEntryCount, "page \(page): as many as lay there")
                #expect(kinds.allSatisfy { report[$0].unnamed == 0 })
            }
            for kind in BookStore.lostKinds {
                let lost = report.lost.count { $0.kind == kind }
                let madeAnew = report.madeAnew.count { $0.kind == kind }
                #expect(report[kind].lost == lost && report[kind].madeAnew == madeAnew, "page \(page): as listed")
            }
            if salvage.isWhole || salvage.places.allSatisfy({ $0.lostEntryCount ?? 0 == 0 || $0.isDerived }) {
                #expect(report.items.allSatisfy { $0.kind == .text }, "page \(page) holds no record")
            }
            try library.flip(page: page)
        }
        // Every record lay in some page, and so did what the library knows about itself.
        let all = Set(sound.keys).union(
            sound.keys.compactMap { $0.hasPrefix("work ") ? "text \($0.dropFirst(5))" : nil })
        #expect(listed == all.union(["library filing"]))
    }

    @Test func `a work made anew has its title, authors, year, texts and place`() async throws {
        let library = try await library()
        let before = try library.open(.readOnly).snapshot
        try library.flip("Subject 0030")
        let (store, report) = try await library.repaired()
        let items = report.items.filter { $0.kind == .work }
        #expect(!items.isEmpty && items.allSatisfy { $0.isMadeAnew && $0.title != nil })
        for item in items {
            let id = try #require(ID<Work>(item.id))
            let (old, new) = (try #require(try before.works[id]), try #require(try store.snapshot.works[id]))
            #expect(new.title == old.title && new.authors == old.authors && new.subtitle == nil)
            #expect(new.firstPublicationYear == old.firstPublicationYear && new.description == old.description)
            #expect(new.added == old.added)
        }
        #expect(Array(store.snapshot.works.list()) == Array(before.works.list()))
        #expect(Array(store.snapshot.works.list(by: .added)) == Array(before.works.list(by: .added)))
    }

    @Test func `authors made anew have the names that rows show`() async throws {
        let library = try await library()
        let before = try library.open(.readOnly).snapshot
        for name in ["Author 0000", "Author 0035"] {
            let id = try #require(try before.authors.named(name))
            // The authors' own tree: the only leaf that begins with the record of one.
            let record = Author(name).encodedRecord()
            let bytes = try library.bytes(of: library.snapshotPath)
            let place = (0..<bytes.count - record.count).first { Array(bytes[$0..<$0 + record.count]) == record }
            try library.flip(#require(place), of: library.snapshotPath)
            let (store, report) = try await library.repaired(at: "\(name).bookdb")
            #expect(
                report.items.contains { $0.kind == .author && $0.id == "\(id)" && $0.title == name && $0.isMadeAnew })
            #expect(report.items.allSatisfy { $0.kind == .author })
            #expect(Array(store.snapshot.works.list(by: .author)) == Array(before.works.list(by: .author)))
            try library.flip(#require(place), of: library.snapshotPath)
        }
    }

    @Test func `with both heads lost every record is saved`() async throws {
        let library = try await library()
        let sound = try library.open(.readOnly).snapshot.exported()
        try library.flip(page: 0)
        try library.flip(library.bytes(of: library.snapshotPath).count - 100, of: library.snapshotPath)
        let (store, report) = try await library.repaired()
        #expect(try store.snapshot.exported() == sound)
        #expect(report.isComplete && report.damage.count == 2)
    }

    @Test func `what identifies nothing else is given out after a repair`() async throws {
        let library = try await library()
        let before = try library.open(.readOnly).snapshot
        let ids = try before.exported().keys.compactMap { ID<Work>(String($0.split(separator: " ")[1])) }
        let highest = try #require(ids.max())
        // Without what the library knows about itself.
        let meta = try #require(
            try Salvage(at: DamageableLibrary.path, fileSystem: library.fileSystem).report.trees.firstIndex {
                $0.declaration.name == "meta"
            })
        let inspection = try StoreInspection(at: DamageableLibrary.path, fileSystem: library.fileSystem)
        #expect(inspection.trees[meta].height == 1)
        try library.flip("next-counter")
        let (_, report) = try await library.repaired()
        #expect(report.items.map(\.kind) == [.library] && !report.isComplete, "how it files letters is lost")
        #expect(report.damage.allSatisfy { $0.recordsLost == 0 && $0.loss.contains("setFiling") })
        #expect(report.damage.map(\.loss) == (try library.verify().damage.map(\.loss)))
        let store = try BookStore(at: "Saved.bookdb", fileSystem: library.fileSystem)
        let id = try await store.write { try $0.insert(Work("One more")) }
        #expect(id.device != highest.device && !ids.contains(id), "the counter of that was lost")
        try await store.close()
    }

    @Test func `records that are none are listed with their bytes, and what depends on lost works with its fields`()
        async throws
    {
        let library = try await library()
        let before = try library.open(.readOnly).snapshot
        let works = Array(before.works.list())
        // The first has a record that is nonsense; of the fourth, which has an entry, everything that names it is gone.
        let (nonsense, forgotten) = (works[1].id, works[3].id)
        let work = try #require(try before.works[forgotten])
        let author = try #require(try before.authors[work.authors[0]])
        let keys = WorkKeys(work, authors: [author], entry: try before.entries[forgotten], filing: .standard)
        let database = try Database.open(
            at: DamageableLibrary.path, trees: LibraryContents.books.allTrees, fileSystem: library.fileSystem)
        try await database.write { transaction in
            try transaction.put([0xFF, 0xFF], forKey: BookKey.work(nonsense).bytes, in: LibraryTree.books)
            try transaction.remove(BookKey.work(forgotten).bytes, in: LibraryTree.books)
            for key in keys.all { try transaction.remove(keys.bytes(of: key), in: key.index.tree) }
        }
        try await database.close()
        let (store, report) = try await library.repaired()
        let listed = try #require(report.items.first { $0.kind == .work && $0.id == "\(nonsense)" })
        #expect(listed.bytes == [0xFF, 0xFF] && listed.isMadeAnew && listed.title == works[1].title)
        #expect(listed.jsonLine().contains("\"bytes\":\"ffff\""))
        #expect(report.items.contains { $0.kind == .work && $0.id == "\(forgotten)" && !$0.isMadeAnew })
        let entry = try #require(report.items.first { $0.kind == .entry && $0.id == "\(forgotten)" })
        #expect(entry.fields?.contains("\"rating\"") == true)
        let edition = try #require(report.items.first { $0.kind == .edition })
        #expect(edition.fields?.contains("Publisher 0003") == true)
        #expect(report.items.contains { $0.kind == .text && $0.fields?.contains("About book 0003") == true })
        #expect(try store.snapshot.works.count == 39)
        expectSound(store.snapshot)
    }

    @Test func `several damaged pages at random leave a sound library and no record unaccounted for`() async throws {
        var random = SeededGenerator.forTest(fallback: 8)
        for round in 0..<6 {
            let library = try await library()
            let sound = try library.open(.readOnly).snapshot.exported()
            let pageCount = try library.bytes(of: library.snapshotPath).count / 4096
            for _ in 0..<Int.random(in: 2...pageCount / 2, using: &random) {
                try? library.flip(
                    Int.random(in: 0..<pageCount * 4096, using: &random), of: library.snapshotPath,
                    mask: 1 << UInt8.random(in: 0..<8, using: &random))
            }
            let (store, report) = try await library.repaired()
            expectSound(store.snapshot)
            let saved = try store.snapshot.exported()
            for kind in BookStore.lostKinds where kind != .text {
                let names = sound.keys.filter { $0.hasPrefix("\(kind) ") }
                let found = saved.keys.count { $0.hasPrefix("\(kind) ") }
                #expect(report[kind].saved + report[kind].madeAnew == found)
                let missing = names.count - found
                #expect(
                    missing <= report[kind].lost || report[kind].mayLackMore,
                    "round \(round): \(missing) \(kind)s are missing; \(report.damage.map(\.part))")
            }
        }
    }
}

extension SalvagedPlace {
    fileprivate var isDerived: Bool {
        BookStore.derivedTrees.contains { $0.number == tree }
    }
}
