import LibrarySupport
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// Counts that must not grow: pages touched, bytes written and flushes, each a little above what it is today. Times are measured
/// elsewhere (`./dev bench`); these are why they are what they are.
struct CostTests {
    private static let workCount = 3_000

    /// A loaded library, and its disk.
    private func library() async throws -> (CountingDisk, String) {
        let disk = CountingDisk()
        let store = try BookStore(at: "Costs", fileSystem: disk, device: 7)
        try await store.load { library in
            var books = SampleBooks(seed: 7)
            var authors: [ID<Author>] = []
            for book in books.take(Self.workCount) { try library.insert(book, authors: &authors) }
        }
        try await store.close()
        return (disk, "Costs")
    }

    private func open(_ disk: CountingDisk, access: BookStore.Access = .readOnly) throws -> BookStore {
        try BookStore(at: "Costs", access: access, fileSystem: disk, device: 7)
    }

    /// Pages that `body` touches for the first time.
    private func pages(_ store: BookStore, _ body: () throws -> Void) rethrows -> Int {
        let before = store.snapshot.version.touchedPageCount
        try body()
        return store.snapshot.version.touchedPageCount - before
    }

    @Test func `opening reads one page, a segment and one listing, and the first rows a path and their leaves`()
        async throws
    {
        let (disk, _) = try await library()
        var store: BookStore?
        let counts = try await disk.counts { store = try open(disk) }
        #expect(counts.listings == 1)
        #expect(counts.opens == 3)
        // A closed log: its frames' page, its mark's, and the history.
        #expect(counts.bytesRead <= 12_288)
        #expect(counts.writes == 0 && counts.flushes == 0)
        let library = try #require(store)
        let first = try pages(library) {
            _ = try library.snapshot.works.list().rows(offset: 0, limit: 50) { $0.title }
        }
        #expect(first <= 4)
    }

    /// Where the frames of the newest segment end: zeros follow.
    private func logEnd(_ disk: CountingDisk) throws -> Int {
        let name = try #require(try disk.names(inDirectory: "Costs").filter { $0.hasPrefix("log-") }.max())
        let file = try disk.openFile("Costs/" + name, .reading)
        let bytes = try file.read(byteCount: try file.byteCount(), at: 0)
        return (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    }

    @Test func `a commit of another process costs who follows its frame and no more than a page beside it`()
        async throws
    {
        let (disk, _) = try await library()
        let writer = try open(disk, access: .shared)
        try await writer.write { library in _ = try library.insert(Work("First")) }
        let follower = try open(disk)
        await follower.database.follow()
        for number in 0..<8 {
            let before = try logEnd(disk)
            try await writer.write { library in
                for copy in 0..<number * 5 + 1 { _ = try library.insert(Work("Page \(number) of copy \(copy)")) }
            }
            let frame = try logEnd(disk) - before
            let counts = await disk.counts { await follower.database.follow() }
            #expect(counts.bytesRead <= frame + 4096, "\(counts.bytesRead) bytes for \(frame)")
            #expect(follower.snapshot.commitNumber == writer.snapshot.commitNumber)
        }
        try await writer.close()
        try await follower.close()
    }

    @Test func `a page at any offset touches a path and its leaves, in another order a path for each row`() async throws
    {
        let (disk, _) = try await library()
        for order in WorkOrder.allCases {
            for share in 0..<8 {
                let store = try open(disk)
                let offset = Self.workCount * share / 8
                let touched = try pages(store) {
                    _ = try store.snapshot.works.list(by: order).rows(offset: offset, limit: 50) { $0.title }
                }
                #expect(touched <= (order == .title ? 5 : 51), "\(order) at \(offset)")
            }
        }
    }

    @Test func `counts touch a root, a work's place three paths, a full work one for each record`() async throws {
        let (disk, _) = try await library()
        let store = try open(disk)
        #expect(try pages(store) { _ = try store.snapshot.works.statusCounts } == 1)
        let id = store.snapshot.works.list()[Self.workCount / 3].id
        let other = try open(disk)
        #expect(try pages(other) { _ = try other.snapshot.works.list().index(of: id) } <= 7)
        let third = try open(disk)
        #expect(try pages(third) { _ = try third.snapshot.works.details(id) } <= 8)
    }

    @Test func `a change is one write and one flush of what changed`() async throws {
        let (disk, _) = try await library()
        let store = try open(disk, access: .exclusive)
        let list = store.snapshot.works.list()
        let ids = (0..<5).map { list[$0 * 500 + 100].id }
        // The first commit behind an opening reserves space.
        try await store.updateEntry(of: ids[0]) { $0.notes = "Begun." }
        let status = try await disk.counts { try await store.updateEntry(of: ids[1]) { $0.status = .paused } }
        #expect(status.writes == 1 && status.flushes == 1 && status.directoryFlushes == 0)
        #expect(status.bytesWritten <= 360)
        let title = try await disk.counts { try await store.update(ids[2]) { $0.title += " Again" } }
        #expect(title.writes == 1 && title.flushes == 1)
        #expect(title.bytesWritten <= 600)
        let insert = try await disk.counts {
            try await store.write { library in _ = try library.insert(Work("A New Book")) }
        }
        #expect(insert.writes == 1 && insert.flushes == 1)
        #expect(insert.bytesWritten <= 270)
        let nothing = try await disk.counts { try await store.update(ids[3]) { $0.title += "" } }
        #expect(nothing == CountingDisk.Counts())
        try await store.close()
    }

    /// What a commit replaced is in its frame, which LZ4 makes little of where the new record is beside it; what is new has nothing before.
    @Test func `a commit that can be undone is a little longer in the log`() async throws {
        let (disk, _) = try await library()
        let store = try BookStore(at: "Costs", undo: .on, fileSystem: disk, device: 7)
        let list = store.snapshot.works.list()
        let ids = (0..<5).map { list[$0 * 500 + 100].id }
        try await store.updateEntry(of: ids[0]) { $0.notes = "Begun." }
        let status = try await disk.counts { try await store.updateEntry(of: ids[1]) { $0.status = .paused } }
        #expect(status.writes == 1 && status.flushes == 1 && status.directoryFlushes == 0)
        #expect(status.bytesWritten <= 380)
        let title = try await disk.counts { try await store.update(ids[2]) { $0.title += " Again" } }
        #expect(title.bytesWritten <= 640)
        let insert = try await disk.counts {
            try await store.write { library in _ = try library.insert(Work("A New Book")) }
        }
        #expect(insert.bytesWritten <= 280)
        let undone = try await disk.counts { try await store.undo() }
        #expect(undone.writes == 1 && undone.flushes == 1, "an undoing is one commit")
        try await store.close()
    }

    /// The nodes that `body` makes, and their bytes.
    private func allocations(_ store: BookStore, _ body: () async throws -> Void) async throws -> NodeAllocations {
        let before = store.snapshot.version.allocations
        try await body()
        let after = store.snapshot.version.allocations
        return NodeAllocations(count: after.count - before.count, byteCount: after.byteCount - before.byteCount)
    }

    @Test func `a change makes the nodes of the paths it changes and no others`() async throws {
        let (disk, _) = try await library()
        let store = try open(disk, access: .exclusive)
        let list = store.snapshot.works.list()
        let ids = (0..<3).map { list[$0 * 500 + 100].id }
        let status = try await allocations(store) { try await store.updateEntry(of: ids[0]) { $0.status = .paused } }
        #expect(status.count <= 28 && status.byteCount <= 24_000, "\(status)")
        let title = try await allocations(store) { try await store.update(ids[1]) { $0.title += " Again" } }
        #expect(title.count <= 26 && title.byteCount <= 27_000, "\(title)")
        let insert = try await allocations(store) {
            try await store.write { library in _ = try library.insert(Work("A New Book")) }
        }
        #expect(insert.count <= 22 && insert.byteCount <= 23_000, "\(insert)")
        let many = try await allocations(store) {
            try await store.write { library in
                for number in 0..<100 { _ = try library.insert(Work("A New Book \(number)")) }
            }
        }
        // Neighbours in every list: a hundred take little more than one.
        #expect(many.count <= 110 && many.byteCount <= 215_000, "\(many)")
        try await store.close()
    }

    @Test func `a compaction and a load write each byte once and flush three times`() async throws {
        let (disk, _) = try await library()
        let store = try open(disk, access: .exclusive)
        try await store.write { library in _ = try library.insert(Work("A New Book")) }
        var report: CompactionReport?
        let compaction = try await disk.counts { report = try await store.compact() }
        let byteCount = try #require(report).snapshotByteCount
        // Beside the snapshot: the search file, texts once more, and the log's segments.
        #expect(compaction.bytesWritten < byteCount * 4 / 3)
        #expect(compaction.flushes <= 4)
        #expect(compaction.directoryFlushes == 2)
        let load = try await disk.counts {
            try await store.load { library in
                for number in 0..<2_000 { _ = try library.insert(Work("Load \(number)")) }
            }
        }
        // Beside them: what the load adds, in a snapshot that is a tenth larger.
        #expect(load.bytesWritten < byteCount * 3 / 2)
        #expect(load.flushes <= 2)
        #expect(load.directoryFlushes == 2)
        try await store.close()
    }

    @Test func `a library takes a known number of bytes a work`() async throws {
        let (disk, path) = try await library()
        var byteCount = 0
        for name in try disk.names(inDirectory: path) {
            byteCount += try disk.openFile(path + "/" + name, .reading).byteCount()
        }
        #expect(byteCount / Self.workCount < 1_160)
    }
}
