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
        let path = try #require(try BookStore.Location.applicationSupport(name).path())
        let directory = (path as NSString).deletingLastPathComponent
        defer { try? FileManager.default.removeItem(atPath: directory) }
        #expect(try PosixFileSystem().permissions(of: directory) == 0o700)
        let store = BookStore(.applicationSupport(name))
        guard case .good = store.health else { Issue.record("\(store.health)"); return }
        try await store.add("Emma")
        try await store.close()
        #expect(BookStore(.file(path)).snapshot.works.list().titles == ["Emma"])
    }

    @Test func `a library in memory is good and takes writes`() async throws {
        let store = BookStore(.memory)
        guard case .good = store.health else { Issue.record("\(store.health)"); return }
        try await store.add("Emma")
        #expect(try store.snapshot.works.count == 1)
    }

    @Test func `a view that was given no library has an empty one, which says so and takes no writes`() async throws {
        let store = BookStore.notGiven()
        guard case .unavailable(let error) = store.health else { Issue.record("\(store.health)"); return }
        #expect("\(error)".contains(".bookStore(store)"))
        #expect(await libraryError { try await store.write { try $0.insert(Work("Emma")) } } != nil)
        #expect(try store.snapshot.works.count == 0)
    }

    @Test func `a library that cannot be opened is empty, says why, and takes no writes`() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/bookdb-test-\(UUID())"
        try Data("no library".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let store = BookStore(.file(file))
        guard case .unavailable(let error) = store.health else { Issue.record("\(store.health)"); return }
        let thrown = await libraryError { try await store.add("Emma") }
        #expect(thrown == error && error.sentence.contains(file))
        #expect(try store.snapshot.works.count == 0 && store.snapshot.works.list().isEmpty)
        let elsewhere = BookStore(.applicationSupport("../../../../../../../dev/null/no/Library.bookdb"))
        guard case .unavailable = elsewhere.health else { Issue.record("\(elsewhere.health)"); return }
        #expect(await libraryError { try await elsewhere.add("Emma") } != nil)
    }
}
