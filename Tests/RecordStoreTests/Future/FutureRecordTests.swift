import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// Records, fields and orders as a later version may write them: this version keeps what it does not know.
@Suite struct FutureRecordTests {
    private struct Photo: Record, Equatable {
        var id: ID<Photo> = .unassigned
        var title = ""
        var album: Reference<LedgerAccount>?
        // Its tag comes behind the reserved one.
        var place = ""
        enum CodingKeys: Int, CodingKey { case id = 0, title = 1, album = 2, place = 12 }
        static let schema = Schema {
            Order("by title", \.title)
            Link(\.album, onDelete: .nullify)
        }
    }

    private static let kind = Array("Photo".utf8)

    /// A field as a record holds it.
    private static func field(_ tag: UInt32, _ content: [UInt8]) -> [UInt8] {
        var writer = RecordWriter()
        writer.write(tag, content)
        return writer.finish()
    }

    /// Two stamps of twelve bytes, as a later version may have them.
    private static let stamps = field(ReservedTag.stamps, (0..<26).map { UInt8(200 - $0) })

    /// A field of four numbers of 32 bits, the ninth.
    private static let vector = field(FieldNumber.tag(9), (0..<16).map { UInt8(0xF0 - $0) })

    /// Inserts a photo and gives its record a vector and stamps.
    private func insert(
        _ photo: Photo, isStamped: Bool = true, into library: RecordLibrary
    ) async throws -> ID<Photo> {
        let id = try await library.insert(photo)
        let stored = try bytes(of: id, in: library.snapshot)
        // Fields are in the order of their tags: 4 and 5, then the ninth's, the reserved one and the twelfth's.
        var fields = try RecordMerge.fields(of: stored)
        fields[FieldNumber.tag(9)] = Self.vector
        if isStamped { fields[ReservedTag.stamps] = Self.stamps }
        let future = fields.sorted { $0.key < $1.key }.flatMap(\.value)
        try await library.write { transaction in
            try transaction.put(future, forKey: id.rawValue, in: RecordKind<Photo>.current.tree)
        }
        return id
    }

    private func bytes(of id: ID<Photo>, in snapshot: RecordStore.Snapshot) throws -> [UInt8] {
        let tree = RecordKind<Photo>.current.tree
        return try #require(try snapshot.version.bytes(forKey: .bigEndian(id.rawValue), in: tree))
    }

    private func expectKept(_ id: ID<Photo>, isStamped: Bool = true, in library: RecordLibrary) throws {
        let fields = try RecordMerge.fields(of: bytes(of: id, in: library.snapshot))
        #expect(fields[ReservedTag.stamps] == (isStamped ? Self.stamps : nil))
        #expect(fields[FieldNumber.tag(9)] == Self.vector)
    }

    @Test func `stamps of fields and a vector stay when this version changes the record`() async throws {
        try await withLibrary { library in
            let album = try await library.insert(LedgerAccount(name: "Summer"))
            let id = try await insert(Photo(title: "Sea", album: album, place: "Ahlbeck"), into: library)
            #expect(
                try library.snapshot.records(Photo.self)[id]
                    == Photo(id: id, title: "Sea", album: album, place: "Ahlbeck"))
            try await library.update(id) { $0.title = "The sea" }
            try expectKept(id, in: library)
            try await library.update(id) { $0.place = "" }
            try expectKept(id, in: library)
            // A deletion takes the field of those that name what is deleted.
            try await library.delete(album)
            try expectKept(id, in: library)
            #expect(try library.snapshot.records(Photo.self)[id] == Photo(id: id, title: "The sea"))
            try await library.compact()
            try expectKept(id, in: library)
        }
    }

    @Test func `an export has them, and what comes back is the same bytes`() async throws {
        try await withLibrary { library in
            let id = try await insert(Photo(title: "Sea", place: "Ahlbeck"), into: library)
            let lines = try library.snapshot.exportedLines()
            // Stamps have no name, so the record is its bytes.
            #expect(lines.contains { $0.contains(#""bytes":"22035365"#) }, "\(lines)")
            let other = try RecordLibrary.inMemory(device: 7)
            let report = try await other.importLines(lines)
            #expect(report.refused == 0, "\(report.refusals)")
            #expect(try bytes(of: id, in: other.snapshot) == bytes(of: id, in: library.snapshot))
            #expect(try other.snapshot.exportedLines() == lines)
            try await other.close()
        }
    }

    // MARK: A type of field that is not known

    /// What a library says of the fields of a kind, with one of a type and with words that this version does not know.
    private static func fields(code: UInt64) -> [UInt8] {
        func field(_ number: UInt64, _ name: String, _ code: UInt64) -> [UInt8] {
            var writer = RecordWriter()
            writer.number(1, number + 1)
            writer.write(2, name.utf8)
            writer.number(3, code)
            // How many numbers there are, and that they are of 32 bits.
            if code > 15 { writer.number(5, 4) }
            return self.field(4, writer.finish())
        }
        return field(1, "title", 5) + field(2, "album", 7) + field(9, "embedding", code) + field(12, "place", 5)
    }

    @Test func `a field of a type from a later version is shown as it is stored, and comes back from an export`()
        async throws
    {
        try await withLibrary { library in
            let id = try await insert(Photo(title: "Sea", place: "Ahlbeck"), isStamped: false, into: library)
            try await library.write { transaction in
                try transaction.put(Self.fields(code: 16), forKey: Self.kind, in: LibraryTree.appFields)
            }
            let kind = try #require(try library.snapshot.kind(named: "Photo"))
            #expect(kind.fields.map { "\($0.number) \($0.name): \($0.type)" }.contains("9 embedding: as it is stored"))
            let shown = try library.snapshot.records(of: kind, limit: 1)
            #expect(shown.first?.fields.contains { $0.name == "embedding" } == true)
            let lines = try library.snapshot.exportedLines()
            #expect(lines.contains { $0.contains("\"embedding\":{\"#bytes\":") }, "\(lines)")
            let other = try RecordLibrary.inMemory(device: 7)
            #expect(try await other.importLines(lines).refused == 0)
            #expect(try bytes(of: id, in: other.snapshot) == bytes(of: id, in: library.snapshot))
            try await library.update(id) { $0.title = "The sea" }
            try expectKept(id, isStamped: false, in: library)
            try await other.close()
        }
    }

    /// What this version writes of the fields of a kind has the type no more. The later one says it again when it first uses the kind: of a
    /// field of which nothing is known any type may be said.
    @Test func `a type that is not known becomes one of which nothing is known where this version adds a field`() throws
    {
        let stored = try KindFields(decoding: Self.fields(code: 16))
        #expect(stored.field(named: "embedding")?.type == .unknown)
        let declared = KindFields([FieldDescription(number: 13, name: "taken", type: .day)])
        let joined = try KindFields(decoding: stored.joined(with: declared, .init(), kind: "Photo").encoded())
        #expect(joined.field(numbered: 9) == FieldDescription(number: 9, name: "embedding", type: .unknown))
        #expect(joined.field(numbered: 9)?.type.joined(with: .bytes) == .bytes)
    }

    // MARK: An order of what is not known

    /// An order whose one component is of a kind that this version does not know.
    private func addFutureOrder(to library: RecordLibrary) async throws {
        var component = RecordWriter()
        component.number(1, UInt64(FieldNumber.tag(9)))
        component.number(2, 6)
        let declaration = Self.field(1, Self.field(1, component.finish()))
        let key = StoredOrder.key(Self.kind, "near", identity: StoredOrder.identity(of: declaration))
        let value = OrderHead(tree: TreeNumber(1999), builtTo: nil).bytes + declaration
        try await library.database.write { trees in
            try trees.declare(TreeDeclaration(TreeNumber(1999), "Photo.near"))
            try trees.put(value, forKey: key, in: LibraryTree.appOrders)
            try trees.put([], forKey: [1, 2, 3], in: TreeNumber(1999))
        }
    }

    @Test func `an order of what is not known is set aside by a write of its kind, and named by a verification`()
        async throws
    {
        let library = try RecordLibrary.inMemory(device: 0xB00C)
        let id = try await insert(Photo(title: "Sea"), into: library)
        try await addFutureOrder(to: library)
        #expect(
            LibraryVerifier.verify(library.snapshot).checks.contains {
                $0.detail.contains("not checked: near of Photo")
            })
        #expect(try library.snapshot.kinds.contains { $0.name == "Photo" })
        try await library.insert(LedgerAccount(name: "Savings"))
        #expect(try library.snapshot.version.count(of: TreeNumber(1999)) == 1, "no record of its kind was written")
        // A load that would leave its records out of that order is refused.
        let refusal = await libraryError { try await library.load { load in _ = try load.insert(Photo(title: "Sky")) } }
        #expect(refusal?.sentence.contains("Name the type before it begins") ?? false, "\(String(describing: refusal))")
        #expect(try library.snapshot.records(Photo.self).count == 1)
        try await library.update(id) { $0.title = "Lake" }
        #expect(try library.snapshot.version.count(of: TreeNumber(1999)) == 0)
        let entries = try library.snapshot.version.storedOrderEntries(of: Self.kind)
        #expect(entries.first { $0.name == "near" }?.head.builtTo == 0, "the later version makes it again")
        #expect(try library.snapshot.list(Photo.self, "by title").page(limit: 3) { try $0.title } == ["Lake"])
        try await library.compact()
        try await library.delete(id)
        expectSound(library.snapshot)
        try await library.close()
    }
}
