import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

private struct Plain: Record {
    var id: ID<Plain> = .unassigned
    var text = ""
    enum CodingKeys: Int, CodingKey { case id, text }
}

private struct Ordered: Record {
    var id: ID<Ordered> = .unassigned
    var text = ""
    var plain: Reference<Plain>?
    enum CodingKeys: Int, CodingKey { case id, text, plain }
    static let schema = Schema {
        Link(\.plain, onDelete: .nullify)
        Order("by text", \.text)
    }
}

/// Names whose checksums agree in the 23 bits that make a number: the first such two of a row of names.
private enum Clash {
    static let names: (first: String, second: String) = {
        var met: [TreeNumber: String] = [:]
        var index = 0
        while true {
            let name = "Kind \(index)"
            if let other = met.updateValue(name, forKey: KindTree.number(of: name)) { return (other, name) }
            index += 1
        }
    }()
}

private struct First: Record {
    var id: ID<First> = .unassigned
    var number = 0
    enum CodingKeys: Int, CodingKey { case id, number }
    static var recordName: String { Clash.names.first }
}

private struct Second: Record {
    var id: ID<Second> = .unassigned
    var number = 0
    enum CodingKeys: Int, CodingKey { case id, number }
    static var recordName: String { Clash.names.second }
}

private struct NamesSecond: Record {
    var id: ID<NamesSecond> = .unassigned
    var second: Reference<Second>?
    enum CodingKeys: Int, CodingKey { case id, second }
    static let schema = Schema { Link(\.second, onDelete: .cascade) }
}

/// Each kind of records has a tree, whose number follows from its name.
@Suite struct KindTreeTests {
    @Test func `the number is that of the specification's example`() {
        // Formats/LIBRARY.md: CRC-32C of "Loan" is what it is.
        #expect(KindTree.number(of: "Loan").rawValue == 1 << 23 | CRC32C.checksum(Array("Loan".utf8)) & 0x7F_FFFF)
        #expect(KindTree.number(of: "Loan").rawValue == 11_007_584)
        #expect(KindTree.number(of: "") >= LibraryTree.firstKind)
    }

    @Test func `two names of one number are refused where the second is first used, by both names`() async throws {
        let store = try RecordLibrary.inMemory()
        let one = try await store.insert(First(number: 1))
        let refusals = [
            await libraryError { try await store.insert(Second(number: 2)) },
            await libraryError { try await store.load(Second.self) { try $0.insert(Second(number: 2)) } },
            await libraryError { try store.snapshot.records(Second.self).count },
            await libraryError { try store.snapshot.records(Second.self)[ID(rawValue: one.rawValue)] },
            await libraryError { try await store.makeOrders(of: Second.self) },
        ]
        for refusal in refusals {
            guard case .schemaMismatch(let sentence)? = refusal else {
                Issue.record("\(String(describing: refusal))")
                continue
            }
            #expect(sentence.contains("“\(Clash.names.second)” and “\(Clash.names.first)” come to the same number"))
            #expect(sentence.contains("Give the type of “\(Clash.names.second)” another recordName"))
        }
        // A record of the one is none of the other's, for a link either.
        for second in [ID<Second>(rawValue: one.rawValue), nil] {
            let link = await libraryError { try await store.insert(NamesSecond(second: second)) }
            guard case .schemaMismatch(let sentence)? = link else {
                Issue.record("\(String(describing: link))")
                return
            }
            #expect(sentence.contains("“\(Clash.names.second)” and “\(Clash.names.first)” come to the same number"))
        }
        #expect(try store.snapshot.records(First.self).all.map(\.number) == [1])
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a transaction that is not kept leaves no tree of a kind`() async throws {
        let store = try RecordLibrary.inMemory()
        struct Sorry: Error {}
        await #expect(throws: Sorry.self) {
            try await store.write { library in
                try library.insert(First(number: 1))
                throw Sorry()
            }
        }
        #expect(store.snapshot.version.declarations.kinds.isEmpty)
        // So the number is free for the other.
        try await store.insert(Second(number: 2))
        #expect(try store.snapshot.records(Second.self).all.map(\.number) == [2])
        try await store.close()
    }

    @Test func `a record that is refused leaves no tree of its kind`() async throws {
        let store = try RecordLibrary.inMemory()
        try await store.write { library in
            let long = String(repeating: "x", count: 301)
            #expect(throws: LibraryError.self) { try library.insert(Ordered(text: long)) }
            try library.insert(First(number: 1))
        }
        #expect(store.snapshot.version.declarations.kinds.map(\.name) == [Clash.names.first])
        try await store.close()
    }

    @Test func `an order whose tree is said to be that of records is damage, and empties nothing`() async throws {
        let library = try await Self.library(compacted: true)
        let store = try library.open()
        try await store.database.write { trees in
            let key = try #require(try trees.orderKey(named: "by text", of: "Ordered"))
            var value = try #require(try trees.bytes(forKey: key, in: LibraryTree.appOrders))
            value.replaceSubrange(0..<8, with: [UInt8].bigEndian(UInt64(KindTree.number(of: "Plain").rawValue) << 32))
            try trees.put(value, forKey: key, in: LibraryTree.appOrders)
        }
        try await store.close()
        let again = try library.open()
        let refusals = [
            await libraryError { try await again.insert(Ordered(text: "c")) },
            await libraryError { try await again.makeOrders(of: Ordered.self) },
        ]
        #expect(refusals.allSatisfy { if case .damaged? = $0 { true } else { false } })
        #expect(try again.snapshot.records(Plain.self).count == 2)
        #expect(try again.snapshot.records(Plain.self).all.map(\.text) == ["one", "two"])
        let isSound = LibraryVerifier.verify(again.snapshot).checks.allSatisfy(\.passed)
        #expect(!isSound)
        try await again.close()
    }

    @Test func `a repair tells how many records of a kind are lost, in a leaf and outside it`() async throws {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        try await store.write { library in
            for number in 0..<200 { try library.insert(Plain(text: "record \(1000 + number) of many")) }
            try library.insert(Plain(text: String(repeating: "a long text ", count: 400)))
        }
        try await store.compact()
        try await store.close()
        let leaf = try library.copy()
        try leaf.flip("record 1100 of many")
        let (saved, report) = try await leaf.repaired()
        let lost = try #require(report.kinds["Plain"])
        #expect(lost.lost > 0 && lost.saved + lost.lost == 201 && !report.isComplete)
        #expect(try saved.snapshot.records(Plain.self).count == lost.saved)
        // The long one is alone in its block.
        let cold = try library.copy()
        try cold.flip("a long text ")
        let (rest, coldReport) = try await cold.repaired()
        #expect(coldReport.kinds["Plain"]?.lost == 1 && !coldReport.isComplete && !coldReport.damage.isEmpty)
        #expect(try rest.snapshot.records(Plain.self).count == 200)
    }

    @Test(arguments: [true, false])
    func `entries that are no records keep a repair from saving nothing else, and count as lost`(
        compacted: Bool
    ) async throws {
        let library = try await Self.library(compacted: true)
        let store = try library.open()
        let tree = RecordKind<Plain>.current.tree
        try await store.database.write { trees in
            try trees.put([0xFF], forKey: UInt64(7), in: tree)
            try trees.put([], forKey: Array("no identifier".utf8), in: tree)
        }
        if compacted { try await store.compact() }
        try await store.close()
        let (saved, report) = try await library.repaired()
        #expect(try saved.snapshot.records(Plain.self).all.map(\.text) == ["one", "two"])
        #expect(report.kinds["Plain"]?.lost == 2 && !report.isComplete)
        expectSound(saved.snapshot)
    }

    @Test func `names in keys do not rename a tree, and one that is none stops no repair`() async throws {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        try await store.insert(First(number: 1))
        try await store.database.write { trees in
            let other = LinkTarget.records(Clash.names.second).key + Array("X\0".utf8) + .bigEndian(4)
            try trees.put([], forKey: other, in: LibraryTree.appOrders)
            try trees.put([], forKey: [0, 1], in: LibraryTree.appOrders)
            try trees.put([], forKey: [UInt8](repeating: 65, count: 90), in: LibraryTree.appOrders)
        }
        try await store.compact()
        try await store.close()
        let (saved, _) = try await library.repaired()
        #expect(saved.snapshot.version.declarations.kinds.map(\.name) == [Clash.names.first])
        #expect(try saved.snapshot.records(First.self).all.map(\.number) == [1])
    }

    /// Records of two kinds in the snapshot, and one more of each in the log; or all of them in the log.
    private static func library(compacted: Bool) async throws -> DamageableLibrary {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        let plain = try await store.insert(Plain(text: "one"))
        try await store.insert(Ordered(text: "a", plain: plain))
        if compacted { try await store.compact() }
        try await store.insert(Plain(text: "two"))
        try await store.insert(Ordered(text: "b"))
        try await store.close()
        return library
    }

    private static func expectAll(in library: DamageableLibrary) async throws {
        let (saved, report) = try await library.repaired()
        #expect(try saved.snapshot.records(Plain.self).all.map(\.text) == ["one", "two"])
        #expect(try saved.snapshot.records(Ordered.self).all.map(\.text) == ["a", "b"])
        #expect(report.items.isEmpty)
        expectSound(saved.snapshot)
    }

    @Test(arguments: [true, false]) func `a repair saves the records of every kind`(compacted: Bool) async throws {
        try await Self.expectAll(in: try await Self.library(compacted: compacted))
    }

    @Test func `without a head the pages say of which kind they are, and who knows its name finds the records`()
        async throws
    {
        let library = try await Self.library(compacted: true)
        let store = try library.open()
        // Nothing else goes by the name of this one; links and orders go by those of the others.
        try await store.insert(Second(number: 7))
        try await store.write { library in
            try library.remove(Array(Clash.names.second.utf8), in: LibraryTree.appFields)
        }
        try await store.compact()
        try await store.close()
        let size = try library.bytes(of: library.snapshotPath).count
        // Both copies of the head, and of the catalogue beside it.
        for offset in [33, 4096 + 33, size - 4096 + 33, size - 8192 + 33] {
            try library.flip(offset, of: library.snapshotPath)
        }
        try await Self.expectAll(in: library)
        let (saved, _) = try await library.repaired(at: "Again.bookdb")
        let names = saved.snapshot.version.declarations.kinds.map(\.name)
        let nameless = "tree \(KindTree.number(of: Clash.names.second).rawValue)"
        #expect(names == ["Ordered", "Plain", nameless])
        var settings = LibrarySettings(fileSystem: library.fileSystem)
        settings.undo = .on
        let again = RecordLibrary(.file("Again.bookdb"), settings, waitingFor: .zero)
        try await again.ready()
        try await again.insert(Second(number: 8))
        // A repaired library draws its device, so either may come first.
        #expect(try again.snapshot.records(Second.self).all.map(\.number).sorted() == [7, 8])
        // What is taken back is its record, by the name that its type gives it.
        try await again.undo()
        #expect(try again.snapshot.records(Second.self).all.map(\.number) == [7])
        try await again.redo()
        try await again.compact()
        expectSound(again.snapshot)
        try await again.close()
    }

    @Test func `a kind whose first commit is lost keeps what later ones brought`() async throws {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        try await store.insert(Plain(text: "lost with its commit"))
        try await store.insert(Plain(text: "saved"))
        try await store.close()
        let log = try library.logPath
        let bytes = try library.bytes(of: log)
        let text = Array("lost".utf8)
        let place = try #require((0..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual(text) })
        try library.flip(place, of: log)
        let (saved, report) = try await library.repaired()
        #expect(!report.missingCommits.isEmpty)
        #expect(try saved.snapshot.records(Plain.self).all.map(\.text) == ["saved"])
        expectSound(saved.snapshot)
    }

    @Test func `an inspection counts kinds that came since the snapshot, and those in it`() async throws {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        try await store.insert(Plain(text: "one"))
        func plain() throws -> [LibraryInspection.Tree] {
            try RecordLibrary.inspect(at: DamageableLibrary.path, fileSystem: library.fileSystem).trees.filter {
                $0.name == "Plain"
            }
        }
        #expect(try plain().map(\.entryCount) == [1] && plain().map(\.depth) == [0])
        try await store.compact()
        #expect(try plain().map(\.entryCount) == [1] && plain().map(\.depth) == [1])
        try await store.close()
    }

    @Test func `an export names each kind, by name`() async throws {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        try await store.insert(Plain(text: "p"))
        try await store.insert(Ordered(text: "o"))
        #expect(
            try store.snapshot.exportedLines() == [
                #"{"type":"kind","kind":"Plain","fields":[{"number":1,"name":"text","type":"text"}]}"#,
                #"{"type":"record","kind":"Plain","id":"00b00c-1","fields":{"text":"p"}}"#,
                #"{"type":"kind","kind":"Ordered","fields":[{"number":1,"name":"text","type":"text"},"#
                    + #"{"number":2,"name":"plain","type":"identifier"}],"links":[{"field":2,"name":"plain","to":"Plain","#
                    + #""onDelete":"nullify"}]}"#,
                #"{"type":"record","kind":"Ordered","id":"00b00c-2","fields":{"text":"o"}}"#,
            ])
        try await store.close()
    }
}
