import LibrarySupport
import Foundation
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// An app's own records in a library.
struct RecordTests {
    private enum Genre: Int, Codable { case poem, novel, play }

    private struct Tagged: Record {
        var id: ID<Tagged> = .unassigned
        var name = ""
        var tags: Set<String> = []
        var gaps: Set<Int?> = []
        var counts: [Genre: Set<Int>] = [:]
        var bare: [[Genre: Int]: Set<Set<Int>>] = [:]
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, tags = 2, gaps = 3, counts = 4, bare = 5 }
    }

    @Test func `a set and a dictionary are the same bytes however they came to be`() async throws {
        let store = try RecordLibrary.inMemory(device: 7, undo: .on)
        func tagged(_ numbers: [Int]) -> Tagged {
            var tagged = Tagged(name: "a")
            for number in numbers {
                tagged.tags.insert("tag \(number)")
                tagged.gaps.insert(number == 3 ? nil : number)
                tagged.counts[[Genre.poem, .novel, .play][number % 3], default: []].insert(number)
                tagged.bare[[.play: number], default: []].insert([number, number + 1, number + 2])
            }
            return tagged
        }
        let id = try await store.insert(tagged(Array(0..<40)))
        let commit = store.snapshot.commitNumber
        for seed in 1...5 {
            var random = SeededGenerator(seed: UInt64(seed))
            var other = tagged((0..<40).shuffled(using: &random))
            other.id = id
            try await store.write { [other] in try $0.update(other) }
            try await store.update(id) { _ in }
        }
        #expect(store.snapshot.commitNumber == commit)
        let read = try #require(try store.snapshot.records(Tagged.self)[id])
        #expect(read.tags == tagged(Array(0..<40)).tags && read.gaps == tagged(Array(0..<40)).gaps)
        #expect(read.counts == tagged(Array(0..<40)).counts && read.bare == tagged(Array(0..<40)).bare)
        // Another field was changed since, and the set was not.
        try await store.update(id) { $0.tags.insert("new") }
        try await store.update(id) { $0.name = "b" }
        try await store.undo()
        try await store.undo()
        #expect(try store.snapshot.records(Tagged.self)[id]?.tags == read.tags)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a record is inserted, read, updated and deleted, and commits tell of it`() async throws {
        try await withLibrary { store in
            var commits = store.commits.makeAsyncIterator()
            let work = ID<Thing>(device: 1, counter: 5)
            let id = try await store.insert(Loan(work: work, borrower: "Ann"))
            try await store.update(id) { $0.borrower = "Bea" }
            let loans = store.snapshot.records(Loan.self)
            #expect(try loans[id] == Loan(id: id, work: work, borrower: "Bea"))
            #expect(try loans.count == 1 && loans.all.map(\.id) == [id])
            let seen = try await store.write { library in
                let second = try library.insert(Loan(work: work))
                try library.delete(id)
                return (second, try library.record(second)?.id, try library.record(id), try library.delete(id))
            }
            #expect(seen.1 == seen.0 && seen.2 == nil && !seen.3)
            #expect(try store.snapshot.records(Loan.self).all.map(\.id) == [seen.0])
            #expect(await commits.next()?.records(Loan.self).inserted == [id])
            #expect(await commits.next()?.records(Loan.self).updated == [id])
            let last = await commits.next()?.records(Loan.self)
            #expect(last?.inserted == [seen.0] && last?.deleted == [id] && last?.updated == [])
        }
    }

    @Test func `an update that changes nothing writes nothing`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Loan(work: .unassigned))
            let commit = store.snapshot.commitNumber
            try await store.update(id) { $0.borrower = "" }
            #expect(store.snapshot.commitNumber == commit)
        }
    }

    @Test func `what is wrong with a record is said, and nothing is changed`() async throws {
        struct Listed: Record {
            var id: ID<Listed> = .unassigned
            var names = ["a"]
            enum CodingKeys: Int, CodingKey { case id, names }
            static let indexes = [Index(\.names)]
        }
        struct Nameless: Record {
            var id: ID<Nameless> = .unassigned
            enum CodingKeys: Int, CodingKey { case id }
            static let recordName = ""
        }
        struct Twice: Record {
            var id: ID<Twice> = .unassigned
            var text = ""
            enum CodingKeys: Int, CodingKey { case id, text }
            static let indexes = [Index(\.text), Index(\.text.count, name: "text")]
        }
        try await withLibrary { store in
            let id = try await store.insert(Loan(work: .unassigned))
            let errors = [
                await libraryError { try await store.insert(Loan(id: id, work: .unassigned)) },
                await libraryError { try await store.insert(Listed()) },
                await libraryError { try await store.insert(Nameless()) },
                await libraryError { try await store.insert(Twice()) },
                await libraryError {
                    try await store.insert(Loan(work: .unassigned, borrower: String(repeating: "a", count: 17 << 20)))
                },
                await libraryError { try await store.update(ID<Loan>(rawValue: 99)) { $0.borrower = "" } },
                await libraryError { try await store.update(id) { $0.id = ID(rawValue: 9) } },
            ]
            let words = [
                "Loan \(id) has an identifier already: update it, or insert it with .unassigned as a new one",
                "has no order", "1 to 64 bytes",
                "Two orders or indexes of Twice",
                "A Loan is larger than 16 MiB", "There is no Loan 000000-99", "keeps its identifier",
            ]
            for (error, words) in zip(errors, words) { #expect(error?.sentence.contains(words) ?? false, "\(words)") }
            #expect(store.snapshot.commitNumber == 1)
            // The transaction goes on behind a record that was refused.
            try await store.write { library in
                #expect(throws: LibraryError.self) { try library.insert(Listed()) }
                try library.insert(Loan(work: .unassigned))
            }
            #expect(try store.snapshot.records(Loan.self).count == 2)
        }
    }

    @Test func `records are found by a field and in its order, as if all were looked at`() async throws {
        var random = SeededGenerator.forTest(fallback: 3)
        let works = (1...5).map { ID<Thing>(device: 1, counter: $0) }
        try await withLibrary { store in
            var loans: [Loan] = []
            for step in 0..<300 {
                var loan = Loan(work: random.pick(works)!, borrower: random.pick(["", "Ann", "Annabel", "\u{0}"])!)
                if random.oneIn(40) { loan.borrower = String(repeating: "a", count: 300 + step % 3) }
                if !random.oneIn(4) {
                    loan.due = Date(timeIntervalSince1970: .random(in: -9...9, using: &random).rounded())
                }
                if step % 3 == 2, let index = loans.indices.randomElement(using: &random) {
                    loan.id = loans[index].id
                    let (changed, isDeleted) = (loan, random.oneIn(4))
                    try await store.write(.memory) { library in
                        if isDeleted { try library.delete(changed.id) } else { try library.update(changed) }
                    }
                    if isDeleted { loans.remove(at: index) } else { loans[index] = loan }
                } else {
                    let new = loan
                    loan.id = try await store.write(.memory) { try $0.insert(new) }
                    loans.append(loan)
                }
            }
            let records = store.snapshot.records(Loan.self)
            loans.sort { $0.id < $1.id }
            #expect(try Array(records.all) == loans)
            for work in works {
                #expect(try Array(records.where(\.work, equals: work)) == loans.filter { $0.work == work })
            }
            for name in ["", "Ann", "Anna", "\u{0}", String(repeating: "a", count: 301)] {
                let expected = loans.filter { $0.borrower.utf8.elementsEqual(name.utf8) }
                #expect(try Array(records.where(\.borrower, equals: name)) == expected, "\(name.prefix(9))")
            }
            #expect(try Array(records.where(\.due, equals: nil)) == loans.filter { $0.due == nil })
            let (start, end) = (Date(timeIntervalSince1970: -3), Date(timeIntervalSince1970: 4))
            let sorted = loans.sorted { ($0.due ?? .distantFuture, $0.id) < ($1.due ?? .distantFuture, $1.id) }
            let present = sorted.filter { $0.due != nil }
            #expect(try Array(records.sorted(by: \.due)) == sorted)
            #expect(try Array(records.sorted(by: \.due, in: start...)) == present.filter { $0.due! >= start })
            #expect(try Array(records.sorted(by: \.due, in: ..<end)) == present.filter { $0.due! < end })
            #expect(try Array(records.sorted(by: \.due, in: ...end)) == present.filter { $0.due! <= end })
            #expect(
                try Array(records.sorted(by: \.due, in: start..<end))
                    == present.filter { (start..<end).contains($0.due!) })
            #expect(
                try records.sorted(by: \.due, in: start...end).page(offset: 2, limit: 3)
                    == Array(present.filter { (start...end).contains($0.due!) }.dropFirst(2).prefix(3)))
        }
    }

    @Test func `a range that is not Swift's own is refused with a word`() throws {
        struct Every: RangeExpression {
            func relative<C: Collection>(to collection: C) -> Range<Int> where C.Index == Int {
                collection.startIndex..<collection.endIndex
            }
            func contains(_ element: Int) -> Bool { true }
        }
        #expect(throws: LibraryError.self) { try IndexRange(Every()) }
        let range = try IndexRange(1..<5)
        #expect(try range.start == OrderedValue(1) && range.end == OrderedValue(5) && !range.includesEnd)
    }

    @Test func `changed indexes are made anew at the next write, and queries are right before it`() async throws {
        struct Before: Record {
            var id: ID<Before> = .unassigned
            var first = "", second = ""
            enum CodingKeys: Int, CodingKey { case id, first, second }
            static let recordName = "Pair"
            static let indexes = [Index(\.first)]
        }
        struct After: Record {
            var id: ID<After> = .unassigned
            var one = "", second = ""
            enum CodingKeys: Int, CodingKey { case id, one, second }
            static let recordName = "Pair"
            static let indexes = [Index(\.second), Index(\.one)]
            static let upgrades = [Upgrade<After>(2) { $0.second = $0.second.uppercased() }]
        }
        try await withLibrary { store in
            for pair in [("a", "z"), ("b", "y"), ("a", "x")] {
                try await store.insert(Before(first: pair.0, second: pair.1))
            }
            func check(_ records: Records<After>) throws {
                #expect(try records.where(\.one, equals: "a").map(\.second) == ["Z", "X"])
                #expect(try records.where(\.second, equals: "Y").map(\.one) == ["b"])
                #expect(try records.where(\.second, equals: "y").isEmpty)
                #expect(try records.sorted(by: \.second).map(\.second) == ["X", "Y", "Z"])
            }
            try check(store.snapshot.records(After.self))
            let new = try await store.insert(After(one: "c", second: "n"))
            #expect(
                try store.snapshot.version.storedOrders(of: RecordKind<After>.current.nameBytes).map(\.name) == [
                    "first", "one", "second",
                ])
            try await store.write { library in try library.delete(new) }
            try check(store.snapshot.records(After.self))
            // An upgrade is stored with the next change.
            let id = try #require(try store.snapshot.records(After.self).all.first { _ in true }?.id)
            try await store.update(id) { $0.one = "d" }
            #expect(try store.snapshot.records(Before.self)[ID(rawValue: id.rawValue)]?.second == "Z")
            #expect(
                try lines(store).contains {
                    $0.hasSuffix(#""version":2,"fields":{"one":"d","second":"Z"}}"#)
                })
        }
    }

    @Test func `an upgrade makes the same indexes anew, since what they are made from is another`() async throws {
        struct Before: Record {
            var id: ID<Before> = .unassigned
            var code = ""
            enum CodingKeys: Int, CodingKey { case id, code }
            static let recordName = "Coded"
            static let indexes = [Index(\.code)]
        }
        struct After: Record {
            var id: ID<After> = .unassigned
            var code = ""
            enum CodingKeys: Int, CodingKey { case id, code }
            static let recordName = "Coded"
            static let indexes = [Index(\.code)]
            static let upgrades = [Upgrade<After>(2) { $0.code = $0.code.uppercased() }]
        }
        try await withLibrary { store in
            for code in ["b", "a", "C"] { try await store.insert(Before(code: code)) }
            #expect(try store.snapshot.records(Before.self).sorted(by: \.code).map(\.code) == ["C", "a", "b"])
            for isWritten in [false, true] {
                if isWritten { try await store.insert(After(code: "D")) }
                let records = store.snapshot.records(After.self)
                #expect(try records.where(\.code, equals: "A").count == 1 && records.where(\.code, equals: "a").isEmpty)
                #expect(try records.sorted(by: \.code).map(\.code) == ["A", "B", "C"] + (isWritten ? ["D"] : []))
            }
            #expect(try await store.verify().isSound)
        }
    }

    @Test func `an index has the name of its property`() {
        #expect(RecordKind<Loan>.current.orders.map(\.name) == ["work", "due", "borrower"])
        #expect(RecordIndex<Loan>(\.borrower.count).name == nil, "a program holds no names of what is computed")
        #expect(RecordIndex<Loan>(\.borrower, name: "who").name == "who")
    }

    @Test func `records are exported by the names of their fields`() async throws {
        try await withLibrary { store in
            try await store.insert(
                Loan(work: ID(device: 1, counter: 2), borrower: "Ann “A”", due: Date(timeIntervalSinceReferenceDate: 1))
            )
            #expect(
                try lines(store) == [
                    #"{"type":"kind","kind":"Loan","fields":[{"number":1,"name":"work","type":"identifier"},"#
                        + #"{"number":2,"name":"borrower","type":"text"},{"number":3,"name":"due","type":"moment"}]}"#,
                    #"{"type":"record","kind":"Loan","id":"00b00c-1","fields":{"work":"000001-2","#
                        + #""borrower":"Ann “A”","due":"2001-01-01T00:00:01Z"}}"#,
                ])
        }
    }

    @Test func `verification finds bytes that are no record, strays and identifiers that may come again`() async throws
    {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        let id = try await store.insert(Loan(work: .unassigned, borrower: "Ann"))
        let tree = RecordKind<Loan>.current.tree
        func problems() -> [String] { LibraryVerifier.verify(store.snapshot).checks.flatMap(\.items) }
        #expect(problems().isEmpty)
        try await store.database.write { trees in try trees.put([0xFF], forKey: id.rawValue, in: tree) }
        #expect(problems().contains { $0.hasPrefix("Loan 00b00c-1 is no record: ") })
        #expect(problems().filter { $0.contains(" of Loan cannot have 00b00c-1: ") }.count == 3)
        try await store.database.write { trees in _ = try trees.remove(id.rawValue, in: tree) }
        #expect(
            problems().count == 3
                && problems().allSatisfy { $0.hasSuffix(" of Loan has 1 entries; its records come to 0.") })
        try await store.database.write { trees in
            try trees.put([], forKey: 0x00_B00C_00_0000_0009, in: tree)
            try trees.put([], forKey: [1, 2], in: tree)
            try trees.put([], forKey: [65, 0, 66], in: LibraryTree.appOrders)
        }
        #expect(problems().contains { $0.contains("has the counter 9") })
        #expect(problems().contains { $0.contains("the key 0102, which is no identifier") })
        #expect(problems().contains { $0.contains("the key 410042 names no order") })
    }

    @Test func `a record whose bytes are damaged can be deleted, and others are read past it`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Loan(work: .unassigned, borrower: "Ann"))
            let other = try await store.insert(Loan(work: .unassigned, borrower: "Bea"))
            try await store.write { library in
                try library.put([0xFF], forKey: id.rawValue, in: RecordKind<Loan>.current.tree)
            }
            let loans = store.snapshot.records(Loan.self)
            #expect(throws: LibraryError.self) { try loans[id] }
            #expect(throws: LibraryError.self) { try loans.all.page(limit: 2) }
            #expect(try loans.all.map(\.id) == [other] && loans.sorted(by: \.borrower).map(\.id) == [other])
            #expect(await libraryError { try await store.update(id) { $0.borrower = "" } } != nil)
            try await store.write { library in try library.delete(id) }
        }
    }

    @Test func `a repair saves the app's records, and their identifiers are not given out again`() async throws {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        let id = try await store.insert(Loan(work: .unassigned, borrower: "Ann"))
        try await store.compact()
        let second = try await store.insert(Loan(work: .unassigned, borrower: "Bea"))
        try await store.close()
        _ = try await RecordLibrary.repair(
            at: DamageableLibrary.path, to: "Repaired.bookdb", fileSystem: library.fileSystem)
        let repaired = try RecordLibrary(at: "Repaired.bookdb", fileSystem: library.fileSystem)
        let loans = repaired.snapshot.records(Loan.self)
        #expect(try loans.all.map(\.id) == [id, second])
        #expect(try loans.where(\.borrower, equals: "Bea").map(\.id) == [second])
        let third = try await repaired.insert(Loan(work: .unassigned, borrower: "Cem"))
        #expect(third.device != second.device)
        #expect(try repaired.snapshot.records(Loan.self).sorted(by: \.borrower).map(\.id) == [id, second, third])
        expectSound(repaired.snapshot)
        let report = try await repaired.reindex(only: .appOrders)
        #expect(report.trees.map(\.entryCount) == [9], "three indexes of three loans")
        #expect(try repaired.snapshot.records(Loan.self).sorted(by: \.borrower).map(\.id) == [id, second, third])
        try await repaired.close()
    }

    @Test func `records survive closing, and a library without any stays without`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem)
        #expect(try store.snapshot.records(Loan.self).count == 0 && store.snapshot.records(Loan.self).all.isEmpty)
        #expect(try store.snapshot.records(Loan.self).where(\.borrower, equals: "").isEmpty)
        let id = try await store.insert(Loan(work: .unassigned, borrower: "Ann"))
        try await store.close()
        let reader = try RecordLibrary(at: "L.bookdb", access: .readOnly, fileSystem: fileSystem)
        #expect(try reader.snapshot.records(Loan.self)[id]?.borrower == "Ann")
    }

    private func lines(_ store: RecordLibrary) throws -> [String] {
        try store.snapshot.exportedLines()
    }
}
