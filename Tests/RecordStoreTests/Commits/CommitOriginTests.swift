import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// Commits say who made them.
struct CommitOriginTests {
    private static func open(_ disk: any FileSystem, _ access: RecordLibrary.Access = .shared) throws -> RecordLibrary {
        RecordLibrary(try RecordLibrary.open("A.bookdb", .patient(access, disk)))
    }

    private static func write(_ store: RecordLibrary, _ name: String) async throws {
        _ = try await store.write { try $0.insert(LedgerAccount(name: name)) }
    }

    @Test(arguments: [RecordLibrary.Access.shared, .readOnly])
    func `a commit of another process says so, and one of this does`(access: RecordLibrary.Access) async throws {
        let disk = GatedDisk()
        let app = try Self.open(disk)
        try await Self.write(app, "Savings")
        let widget = try Self.open(disk, access)
        var (ofApp, ofWidget) = (app.commits.makeAsyncIterator(), widget.commits.makeAsyncIterator())
        try await Self.write(app, "Cash")
        await widget.database.follow()
        #expect(await ofApp.next()?.origin == .here)
        #expect(await ofWidget.next()?.origin == .elsewhere)
        try await widget.close()
        try await app.close()
    }

    @Test func `the sequence of others' commits has those alone, also where many are merged`() async throws {
        let disk = GatedDisk()
        let (app, widget) = (try Self.open(disk), try Self.open(disk))
        var (others, all) = (app.commitsOfOthers.makeAsyncIterator(), app.commits.makeAsyncIterator())
        for number in 0..<CommitSubscription.bufferCapacity + 10 { try await Self.write(app, "own \(number)") }
        try await Self.write(widget, "theirs")
        try await Self.write(app, "last")
        await app.database.follow()
        let theirs = await others.next()
        #expect(theirs?.origin == .elsewhere && theirs?.records(LedgerAccount.self).inserted.count == 1)
        var origins: [Commit.Origin] = []
        var last: UInt64 = 0
        while last < app.snapshot.commitNumber, let commit = await all.next() {
            origins.append(commit.origin)
            last = commit.number
        }
        #expect(origins.last == [.here, .elsewhere], "merged: both have written")
        #expect(origins.dropLast().allSatisfy { $0 == .here })
        try await widget.close()
        try await app.close()
        #expect(await others.next() == nil)
    }

    @Test func `what an opening brings is of neither`() async throws {
        let disk = GatedDisk()
        let begin = try RecordLibrary(at: "A.bookdb", fileSystem: disk)
        try await Self.write(begin, "Savings")
        try await begin.close()
        disk.close("log-")
        let store = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        var commits = store.commits.makeAsyncIterator()
        disk.open("log-")
        try await store.ready()
        #expect(await commits.next()?.origin == .opening)
        try await store.close()
    }
}
