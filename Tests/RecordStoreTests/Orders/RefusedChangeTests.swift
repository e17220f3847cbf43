import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// What a refused change leaves behind where it was the first to need a new order.
struct RefusedChangeTests {
    private struct OldFolder: Record {
        var id: ID<OldFolder> = .unassigned
        var name = ""
        var parent: Reference<OldFolder>?
        enum CodingKeys: Int, CodingKey { case id, name, parent }
        static let recordName = "Folder"
        static let schema = Schema { Link(\.parent, onDelete: .nullify) }
    }

    private struct Folder: Record {
        var id: ID<Folder> = .unassigned
        var name = ""
        var parent: Reference<Folder>?
        enum CodingKeys: Int, CodingKey { case id, name, parent }
        static let uniqueKeys = [Unique(\.name)]
        static let schema = Schema {
            Link(\.parent, onDelete: .nullify)
            Order("by parent", .linked(\.parent, .ascending(\.name)))
        }
    }

    @Test func `a refused change makes no order of what it did not come to`() async throws {
        try await withLibrary { store in
            let a = try await store.write { library in
                let a = try library.insert(OldFolder(name: "a"))
                try library.insert(OldFolder(name: "b"))
                try library.insert(OldFolder(name: "child", parent: .init(a)))
                return ID<Folder>(rawValue: a.rawValue)
            }
            try await store.write { library in
                guard var folder = try library.record(a) else { return }
                folder.name = "b"
                do throws(LibraryError) {
                    try library.update(folder)
                    Issue.record("another folder has the name")
                } catch {
                    guard case .notUnique = error else { throw error }
                }
                try library.insert(Folder(name: "m"))
            }
            // Filed under its parent as that is.
            func firstNamed(_ names: String...) throws -> [String] {
                try store.snapshot.list(Folder.self, "by parent").map(\.name).filter(names.contains)
            }
            try await store.write { library in
                let b = try library.insert(Folder(name: "aa"))
                try library.insert(Folder(name: "other", parent: .init(b)))
            }
            #expect(try firstNamed("child", "other") == ["child", "other"])
            try await store.update(a) { $0.name = "z" }
            #expect(try firstNamed("child", "other") == ["other", "child"])
            #expect(try store.snapshot.list(Folder.self, "by parent").count == 6)
        }
    }

    private struct OldNote: Record {
        var id: ID<OldNote> = .unassigned
        var text = ""
        enum CodingKeys: Int, CodingKey { case id, text }
        static let recordName = "Note"
    }

    private struct Note: Record {
        var id: ID<Note> = .unassigned
        var text = ""
        enum CodingKeys: Int, CodingKey { case id, text }
        static let schema = Schema { Order("by text", \.text) }
    }

    @Test func `a record is deleted although a new order cannot be made of others that nobody can read`() async throws {
        let library = DamageableLibrary(fileSystem: MemoryFileSystem())
        var store = try RecordLibrary(at: DamageableLibrary.path, fileSystem: library.fileSystem, device: 1)
        let ids = try await store.write { library in
            try (0..<400).map { number in
                try library.insert(
                    OldNote(text: "\(number) " + String(repeating: "\(number * 7919 % 997) ", count: 20)))
            }
        }
        try await store.compact()
        try await store.close()
        let pageCount = try library.bytes(of: library.snapshotPath).count / 4096
        var tried = 0
        for page in 2..<pageCount - 1 {
            let damaged = try library.copy()
            try damaged.flip(page: page)
            guard let opened = try? RecordLibrary(at: DamageableLibrary.path, fileSystem: damaged.fileSystem) else {
                continue
            }
            store = opened
            let isReadable = ids.map { (try? store.snapshot.records(OldNote.self)[$0]) != nil }
            if isReadable.contains(false), let sound = isReadable.lastIndex(of: true) {
                tried += 1
                let id = ID<Note>(rawValue: ids[sound].rawValue)
                #expect(try await store.delete(id))
                #expect(try store.snapshot.records(Note.self)[id] == nil)
                #expect(await libraryError { try await store.insert(Note(text: "new")) } != nil)
            }
            try? await store.close()
        }
        #expect(tried > 3)
    }
}
