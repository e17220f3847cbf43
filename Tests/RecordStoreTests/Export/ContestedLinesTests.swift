import Foundation
import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

private struct Item: Record, Equatable {
    var id: ID<Item> = .unassigned
    var name = ""
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
}

private struct Node: Record, Equatable {
    var id: ID<Node> = .unassigned
    var next: Reference<Node>?
    var code = ""
    enum CodingKeys: Int, CodingKey { case id = 0, next = 1, code = 2 }
    static let uniqueKeys = [Unique(\.code)]
    static let schema = Schema { Link(\.next, onDelete: .nullify) }
}

private enum Lending {
    struct Cascading: Record {
        var id: ID<Cascading> = .unassigned
        var item: Reference<Item> = .unassigned
        enum CodingKeys: Int, CodingKey { case id = 0, item = 1 }
        static let recordName = "Loan"
        static let schema = Schema { Link(\.item, onDelete: .cascade) }
    }

    struct Denying: Record {
        var id: ID<Denying> = .unassigned
        var item: Reference<Item> = .unassigned
        enum CodingKeys: Int, CodingKey { case id = 0, item = 1 }
        static let recordName = "Loan"
        static let schema = Schema { Link(\.item, onDelete: .deny) }
    }

    struct Unlinked: Record {
        var id: ID<Unlinked> = .unassigned
        var item: Reference<Item> = .unassigned
        enum CodingKeys: Int, CodingKey { case id = 0, item = 1 }
        static let recordName = "Loan"
    }
}

/// Lines that are older than the library, that say too little, or that are made to do harm.
@Suite struct ContestedLinesTests {
    @Test func `a value of which the exporter did not know the type is the same value where it is known`() async throws
    {
        struct Counted: Record {
            var id: ID<Counted> = .unassigned
            var count = 0
            var day = ""
            enum CodingKeys: Int, CodingKey { case id = 0, count = 1, day = 2 }
        }
        try await withLibrary { store in
            let id = try await store.insert(Counted(count: 5, day: "2026-11-24"))
            let known = try store.snapshot.exportedLines()
            try await store.write { try $0.remove(Array("Counted".utf8), in: LibraryTree.appFields) }
            let lines = try store.snapshot.exportedLines()
            #expect(lines[1].contains(##""fields":{"#1":{"#number":10},"#2":{"#text":"2026-11-24"}}"##), "\(lines)")
            let other = try RecordLibrary.inMemory(device: 9)
            try await other.importLines([known[0]] + lines)
            #expect(try other.snapshot.records(Counted.self)[ID(rawValue: id.rawValue)]?.count == 5)
            #expect(try other.snapshot.exportedLines() == known)
            try await other.close()
        }
    }

    @Test func `the rules of a library's links stay, though a line says what they were before`() async throws {
        let old = try RecordLibrary.inMemory(device: 1)
        let item = try await old.insert(Item(name: "a"))
        try await old.insert(Lending.Cascading(item: item))
        let lines = try old.snapshot.exportedLines()
        let library = try RecordLibrary.inMemory(device: 2)
        try await library.importLines(lines)
        try await library.makeOrders(of: Lending.Denying.self)
        #expect(try await library.importLines(lines).known == lines.count)
        let link = try #require(try library.snapshot.version.storedLinks().first)
        #expect(link.action == .deny && link.isWhole)
        await #expect(throws: LibraryError.self) { try await library.delete(item) }
        #expect(try library.snapshot.records(Lending.Denying.self).count == 1)
        try await old.close()
        try await library.close()
    }

    @Test func `links that never were whole leave and come back as they are`() async throws {
        try await withLibrary { store in
            let item = try await store.insert(Item(name: "a"))
            let gone = try await store.insert(Item(name: "b"))
            try await store.insert(Lending.Unlinked(item: item))
            try await store.insert(Lending.Unlinked(item: gone))
            try await store.delete(gone)
            try await store.makeOrders(of: Lending.Cascading.self)
            let lines = try store.snapshot.exportedLines()
            #expect(lines.contains { $0.contains(#""whole":false"#) })
            let other = try RecordLibrary.inMemory(device: 9)
            let report = try await other.importLines(lines)
            #expect(report.refused == 0, "\(report.refusals)")
            #expect(try other.snapshot.exportedLines() == lines)
            try await other.close()
        }
    }

    @Test func `who names a line of the same circle that is refused is refused with it`() async throws {
        let store = try RecordLibrary.inMemory(device: 1)
        let a = try await store.insert(Node(code: "a"))
        let b = try await store.insert(Node(next: a, code: "b"))
        try await store.update(a) { $0.next = b }
        let c = try await store.insert(Node(code: "c"))
        let d = try await store.insert(Node(next: c, code: "d"))
        try await store.update(c) { $0.next = d }
        let lines = try store.snapshot.exportedLines()
        let library = try RecordLibrary.inMemory(device: 2)
        try await library.insert(Node(code: "b"))
        let report = try await library.importLines(lines, Node.self)
        #expect(report.inserted == 2 && report.refused == 2 && report.known == 1, "\(report)")
        #expect(try library.snapshot.records(Node.self).all.page(limit: 99).map(\.code).sorted() == ["b", "c", "d"])
        expectSound(library.snapshot)
        try await store.close()
        try await library.close()
    }

    @Test func `long values of a unique key that begin alike are two, and a type that is named holds its keys`()
        async throws
    {
        let long = String(repeating: "x", count: 400)
        let store = try RecordLibrary.inMemory(device: 1)
        for end in ["a", "b"] { try await store.insert(Node(code: long + end)) }
        let lines = try store.snapshot.exportedLines()
        let library = try RecordLibrary.inMemory(device: 2)
        #expect(try await library.importLines(lines, Node.self).refused == 0)
        let again = lines.map { $0.replacing("000001-", with: "000003-") }
        let report = try await library.importLines(again, Node.self)
        #expect(report.refused == 2 && report.refusals[0].reason.contains("code"), "\(report.refusals)")
        expectSound(library.snapshot)
        try await store.close()
        try await library.close()
    }

    @Test func `a long row of lines, each naming the next, comes in with few commits`() async throws {
        let count = 3000
        let kind =
            #"{"type":"kind","kind":"Node","fields":[{"number":1,"name":"next","type":"identifier"}],"#
            + #""links":[{"field":1,"name":"next","to":"Node","onDelete":"nullify"}]}"#
        let lines = (1...count).map { number in
            let next = number == count ? "" : #""next":"000009-\#(number + 1)""#
            return #"{"type":"record","kind":"Node","id":"000009-\#(number)","fields":{\#(next)}}"#
        }
        let library = try RecordLibrary.inMemory(device: 2)
        let report = try await library.importLines([kind] + lines)
        #expect(report.inserted == count + 1 && report.refused == 0)
        #expect(library.snapshot.commitNumber < 12)
        expectSound(library.snapshot)
        // Without its end none of them can come in, and each says whom it names.
        let other = try RecordLibrary.inMemory(device: 2)
        let refused = try await other.importLines([kind] + lines.dropLast())
        #expect(refused.refused == count - 1 && refused.inserted == 1)
        #expect(refused.refusals.first?.reason == "Its next is Node 000009-2, which is not there.")
        #expect(other.snapshot.commitNumber < 12)
        try await library.close()
        try await other.close()
    }

    @Test func `a line whose address is none is refused, and no damage`() async throws {
        let kind = #"{"type":"kind","kind":"Site","fields":[{"number":1,"name":"site","type":"url"}]}"#
        let lines = ["", "https://example.org", "../a b"].enumerated().map { number, address in
            #"{"type":"record","kind":"Site","id":"000009-\#(number + 1)","fields":{"site":"\#(address)"}}"#
        }
        struct Site: Record {
            var id: ID<Site> = .unassigned
            var site: URL?
            enum CodingKeys: Int, CodingKey { case id = 0, site = 1 }
        }
        let library = try RecordLibrary.inMemory(device: 2)
        let report = try await library.importLines([kind] + lines)
        #expect(report.refused == 1 && report.refusals.first?.line == 2)
        let sites = try library.snapshot.records(Site.self).all.page(limit: 9)
        #expect(sites.map(\.site) == [URL(string: "https://example.org"), URL(string: "../a b")])
        try await library.close()
    }

    @Test func `fields that go by names at the top of a record come back`() async throws {
        struct Extras: Record {
            enum Names: String, CodingKey { case color }
            var id: ID<Extras> = .unassigned
            var count = 0
            var color = ""
            enum CodingKeys: Int, CodingKey { case id = 0, count = 1 }
            init() {}
            init(from decoder: any Decoder) throws {
                let numbered = try decoder.container(keyedBy: CodingKeys.self)
                id = try numbered.decode(ID.self, forKey: .id)
                count = try numbered.decode(Int.self, forKey: .count)
                color = try decoder.container(keyedBy: Names.self).decode(String.self, forKey: .color)
            }
            func encode(to encoder: any Encoder) throws {
                var numbered = encoder.container(keyedBy: CodingKeys.self)
                try numbered.encode(id, forKey: .id)
                try numbered.encode(count, forKey: .count)
                var named = encoder.container(keyedBy: Names.self)
                try named.encode(color, forKey: .color)
            }
        }
        try await withLibrary { store in
            var extras = Extras()
            extras.color = "red"
            let id = try await store.insert(extras)
            let lines = try store.snapshot.exportedLines()
            #expect(lines[1].contains(#""color":"red""#))
            let other = try RecordLibrary.inMemory(device: 9)
            #expect(try await other.importLines(lines).refused == 0)
            #expect(try other.snapshot.exportedLines() == lines)
            #expect(try other.snapshot.records(Extras.self)[ID(rawValue: id.rawValue)]?.color == "red")
            try await other.close()
        }
    }

    private struct NamedAddress: Codable, Hashable, Sendable {
        var street = ""
    }

    private struct NumberedAddress: Codable, Hashable, Sendable {
        var street = ""
        enum CodingKeys: Int, CodingKey { case street = 1 }
    }

    private struct Before: Record {
        var id: ID<Before> = .unassigned
        var home = NamedAddress()
        enum CodingKeys: Int, CodingKey { case id = 0, home = 1 }
        static let recordName = "Person"
    }

    private struct After: Record {
        var id: ID<After> = .unassigned
        var home = NumberedAddress()
        enum CodingKeys: Int, CodingKey { case id = 0, home = 1 }
        static let recordName = "Person"
    }

    @Test func `a field within another that went from its name to a number comes back under both`() async throws {
        try await withLibrary { store in
            try await store.insert(Before(home: NamedAddress(street: "High")))
            let id = try await store.insert(After(home: NumberedAddress(street: "Low")))
            let lines = try store.snapshot.exportedLines()
            let other = try RecordLibrary.inMemory(device: 9)
            let report = try await other.importLines(lines)
            #expect(report.refused == 0, "\(report.refusals.map(\.reason)) \(lines)")
            #expect(try other.snapshot.exportedLines() == lines)
            #expect(lines.contains { $0.contains(#""home":{"street":"High"}"#) }, "\(lines)")
            #expect(lines.contains { $0.contains(##""home":{"#1":"Low"}"##) }, "\(lines)")
            #expect(try other.snapshot.records(After.self)[ID(rawValue: id.rawValue)]?.home.street == "Low")
            try await other.close()
        }
    }

    @Test func `lines on their way in hold what waits for its turn, and nothing that was taken`() {
        let queue = LineQueue()
        for number in 0..<10_000 {
            queue.add(LineQueue.Entry(number: number, byteCount: 4, line: .null))
            guard queue.readyCount == 1000 else { continue }
            for _ in 0..<1000 { #expect(queue.next() != nil) }
            #expect(queue.takenCount == 0 && queue.readyByteCount == 0)
        }
    }

    @Test func `a list of links with an identifier that is nobody's is refused`() async throws {
        try await withLibrary { store in
            let lines = [
                #"{"type":"kind","kind":"Club","fields":[{"number":1,"name":"members","type":"list","fields":[{"type":"identifier"}]}],"#
                    + #""links":[{"field":1,"list":true,"name":"members","to":"Club","onDelete":"nullify"}]}"#,
                ##"{"type":"record","kind":"Club","id":"000009-1","fields":{"members":[{"#bits":"0000000000000000"}]}}"##,
            ]
            let report = try await store.importLines(lines)
            #expect(report.refused == 1 && report.refusals.first?.reason.contains("is 0") == true, "\(report)")
            expectSound(store.snapshot)
        }
    }

    @Test func `a name that is meant for another field is meant so in lines, too`() async throws {
        struct Before: Record {
            var id: ID<Before> = .unassigned
            var note = ""
            enum CodingKeys: Int, CodingKey { case id = 0, note = 1 }
            static let recordName = "Memo"
        }
        struct After: Record {
            var id: ID<After> = .unassigned
            var memo = ""
            var note = ""
            enum CodingKeys: Int, CodingKey { case id = 0, memo = 1, note = 2 }
            static let recordName = "Memo"
            static let schema = Schema { Renamed(\.memo, from: "note") }
        }
        let new = try RecordLibrary.inMemory(device: 1)
        try await new.insert(After())
        let library = try RecordLibrary.inMemory(device: 2)
        try await library.insert(Before(note: "old"))
        let lines = try new.snapshot.exportedLines()
        #expect(try await library.importLines(lines).refused == 2)
        #expect(try library.snapshot.records(After.self).count == 1)
        #expect(try await library.importLines(lines).refused == 0)
        #expect(try library.snapshot.records(After.self).all.page(limit: 99).map(\.memo) == ["", "old"])
        try await new.close()
        try await library.close()
    }

    @Test func `what would keep the app or the library from going on is refused by line`() async throws {
        let library = try RecordLibrary.inMemory(device: 7)
        _ = try library.snapshot.records(Item.self).count
        let kind = { (name: String, fields: String, links: String) in
            #"{"type":"kind","kind":"\#(name)","fields":[\#(fields)],"links":[\#(links)]}"#
        }
        let field = #"{"number":1,"name":"name","type":"text"}"#
        let link = { (target: String) in #"{"field":1,"name":"name","to":\#(target),"onDelete":"cascade"}"# }
        let long = String(repeating: "x", count: 600)
        let lines = [
            kind("Item", #"{"number":1,"name":"name","type":"integer"}"#, ""), kind("A", field, link(#""A\u0000B""#)),
            kind("A", field, link("\"\(long)\"")), kind("A", field, link("\"\"")), kind("A", field, link("0")),
            kind("A", field + "," + #"{"number":2,"name":"name","type":"text"}"#, ""),
            kind("A", field + "," + field, ""), kind("tree 13073471", field, ""),
            #"{"type":"kind","kind":"A","fields":[],"unit":"EUR"}"#, kind("Item", field, ""),
            #"{"type":"record","kind":"Item","id":"000007-1099511627775","fields":{"name":"last"}}"#,
            #"{"type":"record","kind":"Item","id":"000007-3","archived":true,"fields":{"name":"a"}}"#,
            #"{"type":"record","kind":"Item","id":"000007-3","bytes":"","fields":{"name":"a"}}"#,
            #"{"type":"record","kind":"Item","id":"000007-3","fields":{"name":"good"}}"#,
        ]
        let report = try await library.importLines(lines)
        #expect(report.inserted == 2 && report.refused == lines.count - 2, "\(report.refusals)")
        let id = try await library.insert(Item(name: "next"))
        #expect(id.counter == 4)
        #expect(try library.snapshot.records(Item.self).all.page(limit: 99).map(\.name) == ["good", "next"])
        expectSound(library.snapshot)
        try await library.close()
    }
}
