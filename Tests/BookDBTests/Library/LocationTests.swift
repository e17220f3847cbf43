import LibrarySupport
import Foundation
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// Opening without errors to handle.
struct LocationTests {
    @Test func `a library is opened where an app's data belongs, and is there the next time`() async throws {
        let name = "bookdb-test-\(UUID())/Library.bookdb"
        let path = try #require(BookStore.Location.applicationSupport(name).path)
        let directory = (path as NSString).deletingLastPathComponent
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = BookStore(.applicationSupport(name))
        try await store.ready()
        #expect(try PosixFileSystem().permissions(of: directory) == 0o700)
        guard case .ready = store.health else { Issue.record("\(store.health)"); return }
        try await store.add("Emma")
        try await store.close()
        let again = BookStore(.file(path))
        #expect(await again.read { $0.works.list().titles } == ["Emma"])
    }

    @Test func `a library of an app group lies in a directory of the group's, which is made`() async throws {
        let group = "group.bookdb-test-\(UUID())"
        let path = try #require(BookStore.Location.appGroup(group, "Shared/Library.bookdb").path)
        #expect(path.hasSuffix("/\(group)/Shared/Library.bookdb"))
        let directory = String(path.dropLast("/Shared/Library.bookdb".count))
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = BookStore(.appGroup(group, "Shared/Library.bookdb"))
        try await store.ready()
        try await store.add("Emma")
        let widget = BookStore(.appGroup(group, "Shared/Library.bookdb"))
        #expect(await widget.read { $0.works.list().titles } == ["Emma"])
        try await store.close()
        try await widget.close()
    }

    @Test func `a library in memory is ready and takes writes`() async throws {
        let store = BookStore(.memory)
        guard case .ready = store.health else { Issue.record("\(store.health)"); return }
        try await store.add("Emma")
        #expect(try store.snapshot.works.count == 1)
    }

    @Test func `a view that was given no library has one of which nothing can be read or written, and which says so`()
        async throws
    {
        let store = BookStore.notGiven()
        guard case .unavailable(let error) = store.health else { Issue.record("\(store.health)"); return }
        #expect("\(error)".contains(".bookStore(store)"))
        #expect(await libraryError { try await store.write { try $0.insert(Work("Emma")) } } != nil)
        #expect(throws: LibraryError.self) { try store.snapshot.works.count }
    }

    @Test func `a library that cannot be opened is not an empty one: reads and writes throw why`() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/bookdb-test-\(UUID())"
        try Data("no library".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let store = BookStore(.file(file))
        await #expect(throws: LibraryError.self) { try await store.ready() }
        guard case .unavailable(let error) = store.health else { Issue.record("\(store.health)"); return }
        let thrown = await libraryError { try await store.add("Emma") }
        #expect(thrown == error && error.sentence.contains(file))
        #expect(throws: error) { try store.snapshot.works.count }
        #expect(!store.snapshot.works.list().isLoaded)
        let elsewhere = BookStore(.applicationSupport("../../../../../../../dev/null/no/Library.bookdb"))
        await #expect(throws: LibraryError.self) { try await elsewhere.ready() }
        guard case .unavailable = elsewhere.health else { Issue.record("\(elsewhere.health)"); return }
        #expect(await libraryError { try await elsewhere.add("Emma") } != nil)
    }
}
