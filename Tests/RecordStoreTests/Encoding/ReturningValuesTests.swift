import Foundation
import LibrarySupport
import Testing

@testable import RecordStore

/// A record is read as it was written, or not written. Types with coding of their own came back as other values, and nobody was told.
@Suite struct ReturningValuesTests {
    /// As many apps have one: what is stored says not of which type it is, and the first that can be read is taken.
    private indirect enum Guess: Codable, Equatable, Sendable {
        case none
        case flag(Bool)
        case whole(Int)
        case real(Double)
        case text(String)
        case list([Guess])
        case object([String: Guess])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .none
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let whole = try? container.decode(Int.self) {
                self = .whole(whole)
            } else if let real = try? container.decode(Double.self) {
                self = .real(real)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let list = try? container.decode([Guess].self) {
                self = .list(list)
            } else {
                self = .object(try container.decode([String: Guess].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .none: try container.encodeNil()
            case .flag(let flag): try container.encode(flag)
            case .whole(let whole): try container.encode(whole)
            case .real(let real): try container.encode(real)
            case .text(let text): try container.encode(text)
            case .list(let list): try container.encode(list)
            case .object(let object): try container.encode(object)
            }
        }
    }

    private struct Item: Record {
        var id: ID<Item> = .unassigned
        var name = ""
        var meta: [String: Guess] = [:]
        enum CodingKeys: Int, CodingKey { case id, name, meta }
    }

    @Test(arguments: [
        Guess.none, .flag(true), .flag(false), .text("hello"), .text(""), .whole(0), .whole(5), .whole(-1), .real(3.5),
        .real(0),
        .list([.text("x")]), .list([]), .object(["x": .text("y")]), .object([:]),
    ])
    private func `a value of any type is read as itself or refused`(value: Guess) async throws {
        try await withLibrary { store in
            let error = await libraryError {
                try await store.insert(Item(name: "a", meta: ["x": value, "y": .text("z")]))
            }
            let items = try store.snapshot.records(Item.self).all.page(limit: 2)
            guard let error else {
                #expect(items.map(\.meta) == [["x": value, "y": .text("z")]])
                return
            }
            #expect(error.sentence.hasPrefix("The field “meta” of Item would be read as another value"), "\(error)")
            #expect(items.isEmpty)
        }
    }

    @Test func `what is refused changes nothing of a record that is there`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Item(name: "a", meta: ["x": .text("y")]))
            await #expect(throws: LibraryError.self) {
                try await store.update(id) { $0.meta["x"] = .whole(1) }
            }
            #expect(try store.snapshot.records(Item.self)[id]?.meta == ["x": .text("y")])
        }
    }

    /// Writes nothing for a value of its own.
    private struct Limit: Codable, Equatable, Sendable {
        var value: Int?

        init(_ value: Int?) { self.value = value }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = container.decodeNil() ? nil : try container.decode(Int.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }

    private struct Rule: Record {
        var id: ID<Rule> = .unassigned
        var limit = Limit(5)
        var bound = Limit(nil)
        enum CodingKeys: Int, CodingKey { case id, limit, bound }
    }

    @Test func `a value that writes nothing is refused where something else stands for nothing`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Rule(limit: Limit(7), bound: Limit(nil)))
            let error = await libraryError {
                try await store.update(id) { $0.limit = Limit(nil) }
            }
            #expect(error?.sentence.hasPrefix("The field “limit” of Rule") == true, "\(String(describing: error))")
            #expect(try store.snapshot.records(Rule.self)[id]?.limit == Limit(7))
            #expect(try store.snapshot.records(Rule.self)[id]?.bound == Limit(nil))
        }
    }

    // MARK: Types around another

    private struct Token: RawRepresentable, Codable, Hashable, Sendable { let rawValue: UUID }
    private struct Page: RawRepresentable, Codable, Hashable, Sendable { let rawValue: URL }
    private struct Level: RawRepresentable, Codable, Hashable, Sendable { let rawValue: Int }
    private struct Code: RawRepresentable, Codable, Hashable, Sendable {
        let rawValue: String
        init?(rawValue: String) {
            guard !rawValue.isEmpty else { return nil }
            self.rawValue = rawValue
        }
    }

    private struct Session: Record {
        var id: ID<Session> = .unassigned
        var token: Token?
        var page = Page(rawValue: URL(filePath: "/"))
        var level = Level(rawValue: 0)
        var code: Code?
        enum CodingKeys: Int, CodingKey { case id, token, page, level, code }
        static let schema = Schema { Order("by level", \.level) }
        static let indexes = [Index(\.code)]
    }

    private struct IndexedSession: Record {
        var id: ID<IndexedSession> = .unassigned
        var token: Token?
        enum CodingKeys: Int, CodingKey { case id, token }
        static let indexes = [Index(\.token)]
    }

    /// Swift writes them as records of one field, and they were looked for as bytes: who asked for one got those that have none.
    @Test func `a type around a UUID or an address is read as it was written, and asked for by nobody`() async throws {
        try await withLibrary { store in
            let token = Token(rawValue: UUID())
            let id = try await store.insert(
                Session(
                    token: token, page: Page(rawValue: URL(string: "https://a.example/")!), level: Level(rawValue: 3)))
            try await store.insert(Session(level: Level(rawValue: -2), code: Code(rawValue: "x")))
            let sessions = store.snapshot.records(Session.self)
            let found = try #require(try sessions[id])
            #expect(found.token == token && found.page.rawValue.host() == "a.example")
            #expect(throws: LibraryError.self) { try sessions.where(\.token == token) }
            #expect(try sessions.where { try $0.token == token }.count == 1)
            await #expect(throws: LibraryError.self) { try await store.insert(IndexedSession(token: token)) }
            #expect(try store.snapshot.list(Session.self, "by level").map(\.level.rawValue) == [-2, 3])
            #expect(try sessions.where(\.level == Level(rawValue: 3)).count == 1)
            #expect(try sessions.where(\.code, equals: Code(rawValue: "x")).count == 1)
        }
    }

    /// Makes one of zero.
    private struct Stars: RawRepresentable, Codable, Hashable, Sendable {
        let rawValue: Int
        init(rawValue: Int) { self.rawValue = min(5, max(1, rawValue)) }
    }

    private struct Rated: Record {
        var id: ID<Rated> = .unassigned
        var stars = Stars(rawValue: 1)
        enum CodingKeys: Int, CodingKey { case id, stars }
        static let schema = Schema { Order("by stars", \.stars) }
    }

    @Test func `a type around a number that makes no zero has an order`() async throws {
        try await withLibrary { store in
            for count in [4, 2] { try await store.insert(Rated(stars: Stars(rawValue: count))) }
            #expect(try store.snapshot.list(Rated.self, "by stars").map(\.stars.rawValue) == [2, 4])
        }
    }

    /// Has none of zero, and takes it for a mistake of the program.
    private struct Percent: RawRepresentable, Codable, Hashable, Sendable {
        let rawValue: Int
        init(rawValue: Int) {
            precondition((1...100).contains(rawValue), "a percentage is 1 to 100")
            self.rawValue = rawValue
        }
    }

    /// The same of a UUID, written by itself.
    private struct Key: RawRepresentable, Codable, Hashable, Sendable {
        let rawValue: UUID

        init?(rawValue: UUID) {
            guard rawValue != UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) else { return nil }
            self.rawValue = rawValue
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let key = Key(rawValue: try container.decode(UUID.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no key")
            }
            self = key
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
    }

    /// Asks for its raw value, and where there is none lets that ask.
    private struct Tagged: RawRepresentable, Codable, Hashable, Sendable {
        let rawValue: URL

        init(rawValue: URL) { self.rawValue = rawValue }

        init(from decoder: any Decoder) throws {
            do {
                rawValue = try decoder.singleValueContainer().decode(URL.self)
            } catch {
                rawValue = try URL(from: decoder)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
    }

    private struct Share: Record {
        var id: ID<Share> = .unassigned
        var percent = Percent(rawValue: 1)
        var key: Key?
        var page: Tagged?
        enum CodingKeys: Int, CodingKey { case id, percent, key, page }
        static let indexes = [Index(\.key)]
        static let schema = Schema {
            Order("by percent", \.percent)
            Order("by key", .present(\.key))
            Order("by page", .present(\.page))
        }
    }

    @Test func `a type around a raw value that has none of zero has an order all the same`() async throws {
        try await withLibrary { store in
            let key = Key(rawValue: UUID())
            let pages = ["https://b.example/", "https://a.example/"].map { Tagged(rawValue: URL(string: $0)!) }
            for (percent, key, page) in [(40, key, pages[0]), (20, nil, pages[1])] {
                try await store.insert(Share(percent: Percent(rawValue: percent), key: key, page: page))
            }
            #expect(try store.snapshot.list(Share.self, "by page").map(\.percent.rawValue) == [20, 40])
            #expect(try store.snapshot.list(Share.self, "by percent").map(\.percent.rawValue) == [20, 40])
            #expect(try store.snapshot.list(Share.self, "by key").map(\.percent.rawValue) == [40])
            #expect(try store.snapshot.records(Share.self).where(\.key, equals: key).map(\.percent.rawValue) == [40])
        }
    }

    // MARK: Types that do not write the same twice

    /// Stands for a text that is sealed with a nonce of its own each time.
    private struct Sealed: Codable, Equatable, Sendable {
        var text = ""

        init(_ text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            let bytes = try decoder.singleValueContainer().decode(Data.self)
            text = String(decoding: bytes.dropFirst(8).map { $0 ^ (bytes.first ?? 0) }, as: UTF8.self)
        }

        func encode(to encoder: any Encoder) throws {
            let nonce = (0..<8).map { _ in UInt8.random(in: 1...255) }
            var container = encoder.singleValueContainer()
            try container.encode(Data(nonce + text.utf8.map { $0 ^ nonce[0] }))
        }
    }

    private struct Secret: Record {
        var id: ID<Secret> = .unassigned
        var sealed = Sealed("")
        var meta: [String: Guess] = [:]
        enum CodingKeys: Int, CodingKey { case id, sealed, meta }
    }

    @Test func `a field that is written otherwise each time is taken, and hides no other`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Secret(sealed: Sealed("hello")))
            try await store.update(id) { $0.sealed = Sealed("bye") }
            #expect(try store.snapshot.records(Secret.self)[id]?.sealed == Sealed("bye"))
            let error = await libraryError {
                try await store.insert(Secret(sealed: Sealed("a"), meta: ["x": .whole(1)]))
            }
            #expect(error?.sentence.hasPrefix("The field “meta” of Secret") == true, "\(String(describing: error))")
        }
    }

    /// Written as JSON, whose keys come in any order.
    private struct Document: Codable, Equatable, Sendable {
        var values: [String: Int] = [:]

        init(_ values: [String: Int]) { self.values = values }

        init(from decoder: any Decoder) throws {
            let bytes = try decoder.singleValueContainer().decode(Data.self)
            values = bytes.isEmpty ? [:] : try JSONDecoder().decode([String: Int].self, from: bytes)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(try JSONEncoder().encode(values))
        }
    }

    private struct Paper: Record {
        var id: ID<Paper> = .unassigned
        var document = Document([:])
        enum CodingKeys: Int, CodingKey { case id, document }
    }

    @Test func `a field that is written as JSON is taken`() async throws {
        let values = Dictionary(uniqueKeysWithValues: (0..<12).map { ("key \($0)", $0) })
        try await withLibrary { store in
            for _ in 0..<50 { try await store.insert(Paper(document: Document(values)), .memory) }
            let papers = try store.snapshot.records(Paper.self).all.page(limit: 50)
            #expect(papers.allSatisfy { $0.document == Document(values) })
        }
    }

    private struct Straight: WrittenAlike { static let json = #"{"a":1,"b":2}"# }

    /// The same keys, written the other way around: as another process does it.
    private struct Reversed: WrittenAlike { static let json = #"{"b":2,"a":1}"# }

    private struct Sheet<Document: WrittenAlike>: Record {
        var id: ID<Sheet> = .unassigned
        var text = ""
        var document = Document()
        enum CodingKeys: Int, CodingKey { case id, text, document }
        static var recordName: String { "Sheet" }
        static var upgrades: [Upgrade<Sheet>] { [Upgrade(2) { (_: inout Sheet) in }] }
        static var schema: Schema<Sheet> { Schema { Order("by text", \.text) } }
    }

    /// Each process made the order of a record with upgrades anew, and emptied that of the other.
    @Test func `an order is the same one whatever bytes a field of its own coding has where nothing was written`() {
        let first = RecordKind<Sheet<Straight>>.current.orders.map(\.declaration)
        #expect(first == RecordKind<Sheet<Reversed>>.current.orders.map(\.declaration))
        #expect(first.count == 1 && first[0].needsCode)
    }

    private enum ComposedTaste: String, Codable, CaseIterable { case plain, cafe = "caf\u{E9}" }
    private enum DecomposedTaste: String, Codable, CaseIterable { case plain, cafe = "cafe\u{301}" }

    private struct FormerDrink: Record {
        var id: ID<FormerDrink> = .unassigned
        var taste = ComposedTaste.plain
        enum CodingKeys: Int, CodingKey { case id, taste }
        static let recordName = "Drink"
    }

    private struct Drink: Record {
        var id: ID<Drink> = .unassigned
        var taste = DecomposedTaste.plain
        var size = 0
        enum CodingKeys: Int, CodingKey { case id, taste, size }
        static let recordName = "Drink"
        static let schema = Schema {
            Order("by taste", \.taste)
            Facet("café", \.taste == .cafe)
        }
    }

    /// It stayed as it was stored, whatever was written, and no condition found it.
    @Test func `a case that came to be spelt with other signs is found once its record is written`() async throws {
        try await withLibrary { store in
            let id = ID<Drink>(rawValue: try await store.insert(FormerDrink(taste: .cafe)).rawValue)
            try await store.insert(Drink(taste: .cafe))
            #expect(try store.snapshot.records(Drink.self)[id]?.taste == .cafe)
            try await store.update(id) { $0.size = 2 }
            #expect(try store.snapshot.records(Drink.self).where(\.taste == .cafe).count == 2)
            #expect(try store.snapshot.list(Drink.self, "by taste").filtered(by: "café").count == 2)
        }
    }

    // MARK: Depth

    private struct Comment: Codable, Sendable {
        var text = ""
        var replies: [Comment] = []
    }

    private struct Post: Record {
        var id: ID<Post> = .unassigned
        var comment = Comment()
        enum CodingKeys: Int, CodingKey { case id, comment }
    }

    @Test func `what is nested too deep is refused`() async throws {
        var comment = Comment()
        for _ in 0..<70 { comment = Comment(text: "re", replies: [comment]) }
        try await withLibrary { [comment] store in
            let error = await libraryError { try await store.insert(Post(comment: comment)) }
            #expect(error?.sentence.contains("up to 64 levels") == true, "\(String(describing: error))")
        }
    }

    private struct Endless: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case next }
        init() {}
        init(from decoder: any Decoder) {}

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(Endless(), forKey: .next)
        }
    }

    private struct Loop: Record {
        var id: ID<Loop> = .unassigned
        var endless = Endless()
        enum CodingKeys: Int, CodingKey { case id, endless }
    }

    /// It was found out when all of it had been gone through, on a stack that has an end.
    @Test func `what is nested without end is refused before the stack ends`() async throws {
        try await withLibrary { store in
            let error = await libraryError { try await store.insert(Loop()) }
            #expect(error?.sentence.contains("up to 64 levels") == true, "\(String(describing: error))")
        }
    }
}

/// Writes the same bytes whatever its value.
private protocol WrittenAlike: Codable, Sendable {
    static var json: String { get }
    init()
}

extension WrittenAlike {
    init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decode(Data.self)
        self.init()
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(Self.json.utf8))
    }
}
