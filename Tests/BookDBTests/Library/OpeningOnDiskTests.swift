import BookDB
import Foundation
import Testing

/// Opening real directories: what a caller is told, and by which name a library may be called. One after the other: an opening that waits for a store of
/// its own process blocks a thread of the pool, and the end of that store's last commit may need it.
@Suite(.serialized) struct OpeningOnDiskTests {
    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("BookDB-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test func `a folder that is missing is named when a library is to begin in it`() async throws {
        try await Self.withFolder { folder in
            let path = folder.path + "/Missing/Library.bookdb"
            let error = #expect(throws: LibraryError.self) { try BookStore(at: path) }
            #expect(error == .missingParent(path: path, parent: folder.path + "/Missing"))
            #expect(error?.sentence == "There is no folder \(folder.path)/Missing to begin \(path) in.")
        }
    }

    @Test func `a second store of the same process is told that the library is open here`() async throws {
        try await Self.withFolder { folder in
            let path = folder.path + "/Library.bookdb"
            let store = try BookStore(at: path)
            let error = #expect(throws: LibraryError.self) { try BookStore(at: path) }
            #expect(error?.sentence == "\(path) is open in this process already.")
            try await store.close()
            try await BookStore(at: path).close()
        }
    }

    @Test func `a store that is let go without closing can be opened again`() async throws {
        try await Self.withFolder { folder in
            let path = folder.path + "/Library.bookdb"
            for count in 0..<5 {
                let store = try BookStore(at: path)
                #expect(try store.snapshot.works.count == count)
                try await store.write { library in _ = try library.insert(Work(title: "Book \(count)")) }
            }
        }
    }

    @Test func `a library may be named by a file URL, and by no other`() async throws {
        try await Self.withFolder { folder in
            let store = try BookStore(at: folder.appendingPathComponent("A library.bookdb"))
            try await store.write { library in _ = try library.insert(Work(title: "Emma")) }
            try await store.close()
            let again = try BookStore(at: folder.path + "/A library.bookdb", access: .readOnly)
            #expect(try again.snapshot.works.count == 1)
            let web = try #require(URL(string: "https://example.org/Library.bookdb"))
            #expect(throws: LibraryError.self) { try BookStore(at: web) }
        }
    }

    @Test func `what a debugger prints is titles and numbers, not addresses`() async throws {
        let store = try BookStore.inMemory()
        try await store.write { library in
            for title in ["Emma", "Dune", "Ulysses", "Walden"] { _ = try library.insert(Work(title: title)) }
        }
        let works = store.snapshot.works
        #expect(String(reflecting: store) == "BookStore(In memory.bookdb, commit \(store.snapshot.commitNumber))")
        #expect(String(reflecting: works.list()) == "4 works by title: “Dune”, “Emma”, “Ulysses”, …")
        #expect(String(reflecting: try works.search("dune").first()) == "[“Dune” (exactTitle)]")
    }
}
