import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

@Suite struct BlobCacheTests {
    private let disk = MemoryFileSystem()
    private let clock = TestClock()

    private func cache(blockLimit: Int = 1000, isReadOnly: Bool = false, nameCount: UInt64 = .max) -> BlobCache {
        .onDisk(disk, clock, blockLimit: blockLimit, isReadOnly: isReadOnly, nameCount: nameCount)
    }

    /// Bytes that take so many blocks with their key.
    private func bytes(_ blockCount: Int, _ byte: UInt8 = 1) -> [UInt8] {
        [UInt8](repeating: byte, count: blockCount * 4096 - 200)
    }

    @Test func `a blob is there until it is removed, and the last one set counts`() {
        let cache = cache()
        #expect(cache.value(for: "a") == nil)
        #expect(cache.set("a", [1], for: .days(1)))
        #expect(cache.set("a", [2, 3], for: .days(1)))
        #expect(cache.set("", [], for: .days(1)))
        #expect(cache.value(for: "a") == [2, 3] && cache.value(for: "") == [])
        cache.remove("a")
        #expect(cache.value(for: "a") == nil && cache.value(for: "") == [])
        cache.removeAll()
        #expect(cache.value(for: "") == nil && cache.byteCount == 0)
    }

    @Test func `a blob is given for its lifetime, and its file goes when it is next asked for`() throws {
        let cache = cache()
        cache.set("a", [1], for: .seconds(10))
        clock.time += 9999
        #expect(cache.value(for: "a") == [1])
        clock.time += 1
        #expect(cache.value(for: "a") == nil)
        #expect(try disk.cachedFiles().isEmpty)
    }

    @Test func `expired blobs that nobody asks for go when the directory is next listed`() throws {
        let first = cache()
        for number in 0..<20 { first.set("\(number)", [1], for: number < 15 ? .minutes(1) : .days(1)) }
        clock.pass(.hours(1))
        #expect(try disk.cachedFiles().count == 20)
        cache().set("next", [1], for: .days(1))
        #expect(try disk.cachedFiles().count == 6)
    }

    @Test func `a clock that is set back prolongs nothing`() throws {
        let cache = cache()
        clock.pass(.days(400))
        cache.set("a", [1], for: .days(7))
        clock.goBack(.days(365))
        #expect(cache.value(for: "a") == nil, "it was written at a time that is yet to come")
        cache.set("b", [2], for: .days(7))
        clock.pass(.days(365))
        #expect(cache.value(for: "a") == [1] && cache.value(for: "b") == nil, "the clock was set right again")
        clock.pass(.days(7))
        #expect(cache.value(for: "a") == nil)
    }

    @Test func `lifetimes without a length keep nothing, and those without an end do not run over`() {
        let cache = cache()
        for lifetime in [CacheLifetime.none, .days(0), .days(-3), .seconds(.min)] {
            cache.set("a", [1], for: .days(1))
            #expect(!cache.set("a", [2], for: lifetime))
            #expect(cache.value(for: "a") == nil)
        }
        for lifetime in [CacheLifetime.days(.max), .seconds(.max), .days(300_000)] {
            cache.set("a", [1], for: lifetime)
            clock.pass(.days(100_000))
            #expect(cache.value(for: "a") == [1])
        }
    }

    @Test func `what does not fit is refused with a sentence, and what was there is gone`() {
        let cache = cache(blockLimit: 8)
        cache.set("a", [1], for: .days(1))
        #expect(!cache.set("a", bytes(8), for: .days(1)))
        #expect(cache.value(for: "a") == nil)
        guard case .tooLarge = cache.lastError else { return #expect(cache.lastError == nil, "another error") }
        #expect(!cache.set(String(repeating: "k", count: 1025), [1], for: .days(1)))
        guard case .invalidArgument = cache.lastError else { return #expect(cache.lastError == nil, "another error") }
        #expect(cache.set(String(repeating: "k", count: 1024), bytes(6), for: .days(1)))
        #expect(cache.lastError == nil)
    }

    @Test func `a damaged file is not served and goes`() throws {
        let cache = cache()
        cache.set("a", [1, 2, 3], for: .days(1))
        let path = try #require(disk.cachedFiles().first)
        for damage in [[], [0x42], [UInt8](repeating: 7, count: 300)] {
            cache.set("a", [1, 2, 3], for: .days(1))
            let file = try disk.openFile(path, .creating)
            try damage.withUnsafeBytes { try file.write($0, at: 0) }
            #expect(cache.value(for: "a") == nil)
            #expect(try disk.cachedFiles().isEmpty)
        }
    }

    @Test func `keys of one hash do not get each other's bytes`() {
        let cache = cache(nameCount: 1)
        cache.set("a", [1], for: .days(1))
        #expect(cache.value(for: "b") == nil && cache.value(for: "a") == [1])
        cache.set("b", [2], for: .days(1))
        #expect(cache.value(for: "a") == nil && cache.value(for: "b") == [2])
    }

    @Test func `texts that Swift calls equal are two keys when their bytes differ`() {
        let cache = cache()
        cache.set("caf\u{E9}", [1], for: .days(1))
        #expect(cache.value(for: "cafe\u{301}") == nil)
    }

    // MARK: Room

    @Test func `the blobs that were used last stay within the limit`() throws {
        let cache = cache(blockLimit: 40)
        for number in 0..<40 {
            cache.set("\(number)", bytes(1), for: .days(1))
            clock.time += 1
        }
        #expect(try disk.cachedBlockCount() == 40)
        for number in 0..<10 { #expect(cache.value(for: "\(number)") != nil) }
        clock.time += 1
        for number in 40..<60 {
            cache.set("\(number)", bytes(1), for: .days(1))
            clock.time += 1
            #expect(try disk.cachedBlockCount() <= 40 && cache.byteCount == disk.cachedBlockCount() * 4096)
        }
        let left = try Set(disk.cachedFiles())
        #expect(left.count >= 35)
        for number in Array(0..<10) + Array(40..<60) { #expect(cache.value(for: "\(number)") != nil, "\(number)") }
        for number in 10..<30 { #expect(cache.value(for: "\(number)") == nil, "\(number)") }
    }

    @Test func `blobs of one moment go in the order of their use`() {
        let cache = cache(blockLimit: 16)
        for number in 0..<16 { cache.set("\(number)", bytes(1), for: .days(1)) }
        _ = cache.value(for: "0")
        cache.set("next", bytes(1), for: .days(1))
        let left = (0..<16).filter { cache.value(for: "\($0)") != nil }
        #expect(left == [0] + Array(4..<16) && cache.value(for: "next") != nil)
    }

    @Test func `the next process knows what was used`() {
        let first = cache(blockLimit: 16)
        for number in 0..<16 { first.set("\(number)", bytes(1), for: .days(30)) }
        clock.pass(.hours(2))
        for number in 0..<4 { _ = first.value(for: "\(number)") }
        clock.pass(.hours(2))
        let second = cache(blockLimit: 16)
        for number in 20..<30 { second.set("\(number)", bytes(1), for: .days(30)) }
        #expect((0..<4).allSatisfy { second.value(for: "\($0)") != nil })
    }

    @Test func `reading writes when a blob was used, once an hour and no more`() async throws {
        let disk = CountingDisk()
        let cache = BlobCache.onDisk(disk, clock)
        cache.set("a", [1], for: .days(9))
        let clock = clock
        let reading: () async throws -> Void = { for _ in 0..<50 { #expect(cache.value(for: "a") == [1]) } }
        #expect(try await disk.counts(of: reading).writes == 0)
        clock.pass(.hours(1))
        let counts = try await disk.counts(of: reading)
        #expect(counts.writes == 1 && counts.bytesWritten == 8)
        #expect(counts.flushes == 0 && counts.directoryFlushes == 0 && counts.listings == 0)
    }

    @Test func `a smaller limit counts from the next blob on`() throws {
        let cache = cache(blockLimit: 100)
        for number in 0..<100 { cache.set("\(number)", bytes(1), for: .days(1)) }
        cache.byteLimit = 8 * 4096
        cache.set("next", bytes(1), for: .days(1))
        #expect(try disk.cachedBlockCount() == 7)
        #expect(cache.value(for: "next") != nil && cache.value(for: "99") != nil)
        cache.byteLimit = -1
        #expect(!cache.set("next", [], for: .days(1)) && cache.byteLimit == 0)
    }

    @Test func `a limit that no blob fits lets all of them go with the next`() throws {
        let cache = cache()
        for number in 0..<5 { cache.set("\(number)", [1], for: .days(1)) }
        cache.byteLimit = 0
        #expect(!cache.set("next", [1], for: .days(1)))
        #expect(try disk.cachedFiles().isEmpty && cache.byteCount == 0)
        guard case .tooLarge = cache.lastError else { return #expect(cache.lastError == nil, "another error") }
    }

    /// It was found expired, and went though another had come in its place.
    @Test func `what is set while the directory is listed stays, whatever was found in its place`() throws {
        let keys = ["a", "b"].sorted { BlobName(key: Array($0.utf8)).hash < BlobName(key: Array($1.utf8)).hash }
        let before = cache()
        for key in keys { before.set(key, [1], for: .minutes(1)) }
        clock.pass(.hours(1))
        let disk = InterruptedDisk(disk)
        let after = BlobCache.onDisk(disk, clock)
        // The other one has been looked at by then.
        disk.interrupt(.beforeOpening, of: try #require(disk.cachedFiles().last)) {
            after.set(keys[0], [2], for: .days(1))
        }
        #expect(after.byteCount == 4096 && after.value(for: keys[0]) == [2])
    }

    @Test func `asking what the blobs take makes no room, and the next blob does`() throws {
        let first = cache(blockLimit: 100)
        for number in 0..<80 { first.set("\(number)", bytes(1), for: .days(1)) }
        for isReadOnly in [true, false] {
            let next = cache(blockLimit: 40, isReadOnly: isReadOnly)
            #expect(next.byteCount == 80 * 4096)
            #expect(try disk.cachedBlockCount() == 80)
        }
        let next = cache(blockLimit: 40)
        #expect(next.byteCount == 80 * 4096 && next.set("next", bytes(1), for: .days(1)))
        #expect(try disk.cachedBlockCount() == 35 && next.byteCount == 35 * 4096)
    }

    @Test func `a full cache keeps what is set when the clock was set back`() throws {
        let cache = cache(blockLimit: 16)
        for number in 0..<16 { cache.set("\(number)", bytes(1), for: .days(7)) }
        clock.goBack(.days(1))
        for number in 20..<24 {
            #expect(cache.set("\(number)", bytes(1), for: .days(7)))
            clock.time += 1
        }
        #expect((20..<24).allSatisfy { cache.value(for: "\($0)") != nil })
        #expect(try disk.cachedBlockCount() <= 16)
    }

    @Test func `many threads that write at once keep within the limit`() async throws {
        let cache = cache(blockLimit: 64)
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<60 {
                        let key = "\(worker * 17 + number)"
                        cache.set(key, Array(key.utf8) + [UInt8](repeating: 0, count: 3000), for: .days(1))
                        if let found = cache.value(for: key) { #expect(found.starts(with: Array(key.utf8))) }
                    }
                }
            }
        }
        cache.set("last", [1], for: .days(1))
        #expect(try disk.cachedBlockCount() <= 64)
    }

    // MARK: Who may write

    @Test func `a cache that may only be read gives blobs, and neither writes nor removes`() throws {
        let writer = cache()
        writer.set("a", [1], for: .days(7))
        writer.set("old", [1], for: .hours(1))
        let reader = cache(isReadOnly: true)
        clock.pass(.hours(5))
        let before = try disk.cachedFiles().count
        #expect(reader.value(for: "a") == [1] && reader.value(for: "old") == nil)
        #expect(!reader.set("a", [2], for: .days(1)))
        guard case .readOnly = reader.lastError else { return #expect(reader.lastError == nil, "another error") }
        reader.remove("a")
        reader.removeAll()
        #expect(reader.value(for: "a") == [1] && reader.byteCount == 2 * 4096 - 4096)
        #expect(try disk.cachedFiles().count == before)
    }

    @Test func `a place that cannot be written to costs the blob and no more`() {
        let files = BlobFiles(
            directory: "/there/is/no/such/folder", store: [UInt8](repeating: 0, count: 16),
            fileSystem: PosixFileSystem())
        let cache = BlobCache(files)
        #expect(!cache.set("a", [1], for: .days(1)))
        #expect(cache.value(for: "a") == nil && cache.byteCount == 0)
        #expect(cache.lastError != nil)
    }
}
