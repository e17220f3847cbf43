import Foundation
import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// Two libraries compared, against what their exports say.
@Suite struct DifferencesTests {
    /// What the app keeps beside its books.
    private struct Shelf: Record {
        var id: ID<Shelf> = .unassigned
        var name = ""
        var remark: String?
        enum CodingKeys: Int, CodingKey { case id, name, remark }
    }

    // MARK: Exports

    /// A difference as plain loops find it.
    private struct Found: Hashable, CustomStringConvertible {
        let record: String
        let change: RecordDifference.Change
        let fields: Set<String>

        var description: String { "\(record) \(change): \(fields.sorted())" }
    }

    private func found(_ one: Snapshot, _ other: Snapshot) throws -> (list: [Found], counts: LibraryComparison) {
        var list: [Found] = []
        let counts = try one.differences(from: other) { difference in
            guard case .record(let record) = difference else { return }
            let fields = try record.fields.map {
                "\($0.name): \(try Self.value($0.first)) \(try Self.value($0.second))"
            }
            list.append(Found(record: "\(record.kind) \(record.id)", change: record.change, fields: Set(fields)))
        }
        return (list, counts)
    }

    private static func value(_ value: RecordDifference.Value?) throws -> String {
        guard let value else { return "–" }
        return try text(
            JSONSerialization.jsonObject(with: Data(value.json.utf8), options: [.fragmentsAllowed]))
    }

    /// In ASCII: texts that are equal and not the same bytes are two.
    private static func text(_ value: Any) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
        return String(decoding: data, as: UTF8.self).unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    }

    /// By kind and identifier: the members of each line.
    private func members(_ snapshot: Snapshot) throws -> [String: [String: String]] {
        var records: [String: [String: String]] = [:]
        for line in try snapshot.exportedLines() {
            guard var object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                continue
            }
            let type = try #require(object.removeValue(forKey: "type") as? String)
            if type == "kind" { continue }
            let kind = type == "record" ? try #require(object["kind"] as? String) : type
            let id = try #require((type == "entry" ? object["work"] : object.removeValue(forKey: "id")) as? String)
            if type == "record" { object = try #require(object["fields"] as? [String: Any]) }
            records["\(kind) \(id)"] = try object.mapValues(Self.text)
        }
        return records
    }

    private func expected(_ one: Snapshot, _ other: Snapshot) throws -> Set<Found> {
        let (own, its) = (try members(one), try members(other))
        var found: Set<Found> = []
        for record in Set(own.keys).union(its.keys) where own[record] != its[record] {
            let (first, second) = (own[record] ?? [:], its[record] ?? [:])
            let names = Set(first.keys).union(second.keys).filter { first[$0] != second[$0] }
            found.insert(
                Found(
                    record: record,
                    change: own[record] == nil ? .onlyInSecond : its[record] == nil ? .onlyInFirst : .changed,
                    fields: Set(names.map { "\($0): \(first[$0] ?? "–") \(second[$0] ?? "–")" })))
        }
        return found
    }

    private func expectDifferences(_ one: Snapshot, _ other: Snapshot, _ words: String) throws {
        let (list, counts) = try found(one, other)
        #expect(Set(list) == (try expected(one, other)), "\(words)")
        #expect(Set(list).count == list.count, "each once, \(words)")
        for kind in counts.kinds {
            let own = list.filter { $0.record.hasPrefix(kind.name + " ") }
            #expect(kind.isByHashSums)
            #expect(own.filter { $0.change == .onlyInFirst }.count == kind.onlyInFirstCount)
            #expect(own.filter { $0.change == .onlyInSecond }.count == kind.onlyInSecondCount)
            #expect(own.filter { $0.change == .changed }.count == kind.changedCount)
            #expect(
                own.map(\.record) == own.map(\.record).sorted { Self.number($0) < Self.number($1) }
                    || kind.name == "edition")
        }
    }

    private static func number(_ record: String) -> Int { Int(record.split(separator: "-").last ?? "") ?? 0 }

    // MARK: Tests

    private func commit(_ history: LibraryHistory, to store: BookStore) async throws -> LibraryHistory {
        try await store.write(.memory) { library in
            var history = history
            for _ in 0..<Int.random(in: 1...8, using: &history.random) { try history.step(&library) }
            if history.random.oneIn(2) {
                try library.insert(Shelf(name: history.random.pick(LibraryHistory.words)!))
            }
            return history
        }
    }

    @Test(arguments: 1...3)
    func `random histories that part differ in what their exports differ in`(fallback: UInt64) async throws {
        let seed = SeededGenerator.seed(for: "random histories that part", fallback: fallback)
        try await withLibrary { one in
            try await withLibrary { other in
                var (first, second) = (LibraryHistory(seed: seed), LibraryHistory(seed: seed))
                for _ in 0..<60 {
                    first = try await commit(first, to: one)
                    second = try await commit(second, to: other)
                }
                try expectDifferences(one.snapshot, other.snapshot, "seed \(seed), the same history")
                let (list, counts) = try found(one.snapshot, other.snapshot)
                #expect(list.isEmpty && counts.isSame)
                second.random = SeededGenerator(seed: seed &+ 1)
                try await one.compact()
                for round in 0..<12 {
                    if round % 3 < 2 { second = try await commit(second, to: other) }
                    if round % 3 > 0 { first = try await commit(first, to: one) }
                    if round % 5 == 4 { try await other.compact() }
                    try expectDifferences(one.snapshot, other.snapshot, "seed \(seed), round \(round)")
                    try expectDifferences(other.snapshot, one.snapshot, "seed \(seed), round \(round), the other way")
                }
            }
        }
    }

    @Test func `a text that changes is a field of the work or entry that it belongs to`() async throws {
        try await withLibrary { store in
            let id = try await store.add("Emma", by: "Jane Austen", status: .read)
            try await store.add("Persuasion", by: "Jane Austen")
            let before = store.snapshot
            let long = String(repeating: "Handsome, clever, and rich. ", count: 100)
            try await store.update(id) { $0.description = long }
            try await store.write { library in
                var entry = try #require(try library.entry(of: id))
                entry.notes = long
                try library.set(entry)
            }
            let middle = store.snapshot
            try await store.update(id) { $0.description = long + "!" }
            var names: [[String]] = []
            try before.differences(from: middle) { difference in
                guard case .record(let record) = difference else { return }
                #expect(record.change == .changed && record.id == id.description)
                #expect(try record.label == "Emma")
                names.append([record.kind] + (try record.fields.map(\.name)))
            }
            #expect(names == [["work", "description"], ["entry", "notes"]])
            // The record says only that there is a description, so it is the same.
            names = []
            try middle.differences(from: store.snapshot) { difference in
                guard case .record(let record) = difference else { return }
                let field = try #require(try record.fields.first)
                #expect(field.first?.text == long && field.second?.text == long + "!")
                names.append([record.kind, field.name])
            }
            #expect(names == [["work", "description"]])
        }
    }

    @Test func `equal libraries cost a page for each tree of records`() async throws {
        var systems: [MemoryFileSystem] = []
        for _ in 0..<2 {
            let fileSystem = MemoryFileSystem()
            let store = try BookStore(at: "Costs", fileSystem: fileSystem, device: 7)
            try await store.load { library in
                var books = SampleBooks(seed: 7)
                var authors: [ID<Author>] = []
                for book in books.take(3_000) { try library.insert(book, authors: &authors) }
            }
            try await store.close()
            systems.append(fileSystem)
        }
        let stores = try systems.map { try BookStore(at: "Costs", access: .readOnly, fileSystem: $0, device: 7) }
        let comparison = try stores[0].snapshot.differences(from: stores[1].snapshot)
        #expect(comparison.isSame)
        #expect(comparison.kinds.map(\.firstCount) == comparison.kinds.map(\.secondCount))
        // The roots of five trees, in both.
        #expect(comparison.pagesRead <= 10, "\(comparison.pagesRead)")
        for store in stores { try await store.close() }
    }

    @Test func `the same books, added in two libraries, are unrelated and not listed one by one`() async throws {
        func library(_ device: UInt32) async throws -> BookStore {
            let store = try BookStore.inMemory(device: device)
            try await store.write { library in
                var books = SampleBooks(seed: 7)
                var authors: [ID<Author>] = []
                for book in books.take(1_500) { try library.insert(book, authors: &authors) }
            }
            return store
        }
        let (one, other) = (try await library(7), try await library(8))
        var unrelated: [String] = []
        var recordCount = 0
        let counts = try one.snapshot.differences(from: other.snapshot) { difference in
            switch difference {
            case .unrelated(let records): unrelated.append(records.kind)
            case .record: recordCount += 1
            case .declaration: Issue.record("\(difference)")
            }
        }
        #expect(unrelated == ["work", "edition", "entry"])
        // Of a thousand and fewer each is listed.
        #expect(recordCount == counts.kinds[0].firstCount + counts.kinds[0].secondCount)
        #expect(!counts.isSame)
        recordCount = 0
        try one.snapshot.differences(from: other.snapshot, listsUnrelated: true) { _ in recordCount += 1 }
        #expect(recordCount == counts.kinds.reduce(0) { $0 + $1.firstCount + $1.secondCount })
        for store in [one, other] { try await store.close() }
    }

    @Test func `an edition that is of another work in the second library has changed`() async throws {
        try await withLibrary { one in
            try await withLibrary { other in
                for (store, isSwapped) in [(one, false), (other, true)] {
                    let works = [try await store.add("Emma"), try await store.add("Persuasion")]
                    _ = try await store.write { library in try library.insert(Edition(of: works[isSwapped ? 1 : 0])) }
                }
                let (list, counts) = try found(one.snapshot, other.snapshot)
                // The works were not added at the same moment.
                let editions = list.filter { $0.record.hasPrefix("edition") }
                #expect(editions.map(\.change) == [.changed] && editions.map(\.fields.count) == [1], "\(list)")
                #expect(counts.kinds.first { $0.name == "edition" }?.changedCount == 1)
            }
        }
    }
}
