import Foundation
import StorageEngine
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// Cover thumbnails, as a list on a screen asks for them.
@Suite struct CachedValuesTests {
    private struct Unreadable: Error {}

    /// What was done, by key.
    private final class Counts: Sendable {
        let made = Mutex<[String: Int]>([:])
        let decodedCount = Atomic(0)
    }

    private let disk = MemoryFileSystem()
    private let clock = TestClock()
    private let counts = Counts()

    private func covers(
        _ cache: BlobCache, failuresFor: CacheLifetime = .none, memoryByteLimit: Int = 1 << 20
    ) -> CachedValues<String> {
        CachedValues(
            in: cache, for: .days(7), failuresFor: failuresFor, memoryByteLimit: memoryByteLimit,
            byteCount: { _ in 100 },
            decode: { [counts] bytes in
                counts.decodedCount.add(1, ordering: .relaxed)
                guard bytes.first != 0 else { throw Unreadable() }
                return String(decoding: bytes, as: UTF8.self)
            })
    }

    private func make(_ key: String) -> @Sendable () async throws -> [UInt8] {
        { [counts] in
            counts.made.withLock { $0[key, default: 0] += 1 }
            return Array("cover of \(key)".utf8)
        }
    }

    private var madeCount: Int { counts.made.withLock { $0.values.reduce(0, +) } }
    private var decodedCount: Int { counts.decodedCount.load(ordering: .relaxed) }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await pause() }
    }

    @Test func `two hundred covers on screen are made and decoded once, and scrolling back decodes nothing`()
        async throws
    {
        let cache = BlobCache.onDisk(disk, clock)
        let covers = covers(cache)
        for _ in 0..<3 {
            await withTaskGroup { group in
                for number in 0..<400 {
                    let key = "\(number % 200)"
                    let make = make(key)
                    group.addTask {
                        let cover = try? await covers.value(for: key, make: make)
                        #expect(cover == "cover of \(key)")
                    }
                }
            }
        }
        #expect(madeCount == 200 && decodedCount == 200)
        #expect(covers.valueInMemory(for: "7") == "cover of 7")
        cache.releaseMemory()
        #expect(covers.valueInMemory(for: "7") == nil && covers.memoryByteCount == 0)
        _ = try await covers.value(for: "7", make: make("7"))
        #expect(madeCount == 200 && decodedCount == 201, "it is in the cache")
        clock.pass(.days(7))
        #expect(covers.valueInMemory(for: "7") == nil)
        _ = try await covers.value(for: "7", make: make("7"))
        #expect(madeCount == 201, "its time was over")
    }

    @Test func `a cancelled request leaves the making to those who wait, and the last one cancels it`() async throws {
        let covers = covers(BlobCache.onDisk(disk, clock))
        let isOpen = Mutex(false)
        let wasCancelled = Mutex(false)
        let make: @Sendable () async throws -> [UInt8] = {
            while !isOpen.withLock({ $0 }) {
                if Task.isCancelled {
                    wasCancelled.withLock { $0 = true }
                    throw CancellationError()
                }
                await Task.yield()
            }
            return [65]
        }
        let first = Task { try await covers.value(for: "a", make: make) }
        let second = Task { try await covers.value(for: "a", make: make) }
        await until { covers.waitingCount == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(covers.waitingCount == 1 && !wasCancelled.withLock { $0 })
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        await until { wasCancelled.withLock { $0 } }
        let third = Task { try await covers.value(for: "a", make: make) }
        await until { covers.waitingCount == 1 }
        isOpen.withLock { $0 = true }
        #expect(try await third.value == "A")
    }

    @Test func `a failure is remembered for as long as told and no longer`() async throws {
        let tries = Atomic(0)
        let fail: @Sendable () async throws -> [UInt8] = {
            tries.add(1, ordering: .relaxed)
            throw Unreadable()
        }
        let cache = BlobCache.onDisk(disk, clock)
        let (forgetful, patient) = (covers(cache), covers(cache, failuresFor: .minutes(5)))
        for values in [forgetful, patient] {
            for _ in 0..<3 { await #expect(throws: Unreadable.self) { try await values.value(for: "a", make: fail) } }
        }
        #expect(tries.load(ordering: .relaxed) == 4)
        clock.pass(.minutes(5))
        #expect(try await patient.value(for: "a", make: make("a")) == "cover of a")
    }

    @Test func `texts that Swift calls equal are two keys when their bytes differ`() async throws {
        let covers = covers(BlobCache.onDisk(disk, clock))
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        #expect(one == other)
        #expect(try await covers.value(for: one) { Array("A".utf8) } == "A")
        #expect(covers.valueInMemory(for: other) == nil)
        #expect(try await covers.value(for: other) { Array("B".utf8) } == "B")
        covers.remove(one)
        #expect(covers.valueInMemory(for: one) == nil && covers.valueInMemory(for: other) == "B")
    }

    @Test func `what is read of the cache while its key is removed is not kept`() async throws {
        let disk = InterruptedDisk(disk)
        let covers = covers(BlobCache.onDisk(disk, clock))
        let make = make("a")
        _ = try await covers.value(for: "a") { Array("old".utf8) }
        disk.interrupt(.beforeRemoval) {
            covers.releaseMemory()
            let end = DispatchSemaphore(value: 0)
            Task.detached {
                let read = try? await covers.value(for: "a", make: make)
                #expect(read == "old", "the blob is still there")
                end.signal()
            }
            end.wait()
        }
        await remove("a", from: covers)
        #expect(covers.valueInMemory(for: "a") == nil)
        #expect(try await covers.value(for: "a", make: make) == "cover of a")
    }

    /// Not on a thread that tasks share: what it waits for may need that one.
    private func remove(_ key: String, from covers: CachedValues<String>) async {
        await withCheckedContinuation { removed in
            Thread.detachNewThread {
                covers.remove(key)
                removed.resume()
            }
        }
    }

    /// It was written behind the removal of the one before, and stayed for its lifetime.
    @Test func `what is made of a key while that is removed is not left in the cache`() async throws {
        let disk = InterruptedDisk(disk)
        let cache = BlobCache.onDisk(disk, clock)
        let covers = covers(cache)
        let (isMaking, mayEnd, end) = (Flag(), Flag(), DispatchSemaphore(value: 0))
        let waiting = Task {
            defer { end.signal() }
            return try await covers.value(for: "a") {
                isMaking.set()
                while !mayEnd.isSet { await pause() }
                return Array("old".utf8)
            }
        }
        while !isMaking.isSet { await pause() }
        disk.interrupt(.afterRemoval) {
            mayEnd.set()
            end.wait()
        }
        await remove("a", from: covers)
        #expect(try await waiting.value == "old")
        #expect(cache.value(for: "a") == nil && covers.valueInMemory(for: "a") == nil)
    }

    @Test func `cached bytes that cannot be decoded are made again`() async throws {
        let cache = BlobCache.onDisk(disk, clock)
        cache.set("a", [0], for: .days(1))
        #expect(try await covers(cache).value(for: "a", make: make("a")) == "cover of a")
        #expect(cache.value(for: "a") == Array("cover of a".utf8))
    }

    @Test func `cached bytes whose decoding is cancelled stay`() async throws {
        final class Maker: Sendable { let bytes: [UInt8] = [66] }
        let cache = BlobCache.onDisk(disk, clock)
        cache.set("a", [65], for: .days(1))
        let isKnown = Flag()
        let request = Mutex<Task<[UInt8], any Error>?>(nil)
        let covers = CachedValues(
            in: cache, for: .days(7), memoryByteLimit: 1 << 20, byteCount: { (bytes: [UInt8]) in bytes.count },
            decode: { bytes in
                request.withLock { $0 }?.cancel()
                try Task.checkCancellation()
                return bytes
            })
        weak var held: Maker?
        do {
            let maker = Maker()
            held = maker
            let waiting = Task {
                while !isKnown.isSet { await pause() }
                return try await covers.value(for: "a") { maker.bytes }
            }
            request.withLock { $0 = waiting }
            isKnown.set()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        // The work goes on for a moment when nobody waits for it any more.
        while held != nil { await pause() }
        #expect(cache.value(for: "a") == [65])
    }

    @Test func `values in memory keep within the limit, and those used last stay`() async throws {
        let covers = covers(BlobCache.onDisk(disk, clock), memoryByteLimit: 1600)
        for number in 0..<100 {
            _ = try await covers.value(for: "\(number)", make: make("\(number)"))
            _ = try await covers.value(for: "0", make: make("0"))
            #expect(covers.memoryByteCount <= 1600 && covers.valueInMemory(for: "0") != nil)
        }
        #expect(covers.valueInMemory(for: "99") != nil && covers.valueInMemory(for: "50") == nil)
        covers.remove("0")
        #expect(covers.valueInMemory(for: "0") == nil)
    }

    @Test func `a size that no memory has is not held, and adds up to nothing`() async throws {
        let covers = CachedValues(
            in: BlobCache.onDisk(disk, clock), for: .days(7), memoryByteLimit: .max,
            byteCount: { (cover: String) in cover == "small" ? 100 : .max },
            decode: { bytes in String(decoding: bytes, as: UTF8.self) })
        for key in ["small", "large", "larger"] {
            #expect(try await covers.value(for: key) { Array(key.utf8) } == key)
        }
        #expect(covers.memoryByteCount == 100 && covers.valueInMemory(for: "small") == "small")
    }

    // MARK: A restored library in the place of the one before

    private func library() throws -> RecordLibrary { try RecordLibrary(at: "A.bookdb", fileSystem: disk) }

    @Test func `a value of a library that a restore has replaced is not given, nor is a failure`() async throws {
        let store = try library()
        let covers = covers(store.cache, failuresFor: .days(1))
        _ = try await store.backup(to: "B")
        #expect(try await covers.value(for: "cover") { Array("old".utf8) } == "old")
        await #expect(throws: Unreadable.self) { try await covers.value(for: "lost") { throw Unreadable() } }
        try await store.restore(from: "B")
        #expect(covers.valueInMemory(for: "cover") == nil && store.cache.value(for: "cover") == nil)
        #expect(try await covers.value(for: "cover") { Array("new".utf8) } == "new")
        #expect(try await covers.value(for: "lost") { Array("found".utf8) } == "found")
        #expect(store.cache.value(for: "cover") == Array("new".utf8))
        try await store.close()
    }

    @Test func `what is being made while a restore replaces the library is given to who waits, and not kept`()
        async throws
    {
        let store = try library()
        let covers = covers(store.cache)
        _ = try await store.backup(to: "B")
        let (isMaking, mayEnd) = (Flag(), Flag())
        let waiting = Task {
            try await covers.value(for: "cover") {
                isMaking.set()
                while !mayEnd.isSet { await pause() }
                return Array("old".utf8)
            }
        }
        while !isMaking.isSet { await pause() }
        try await store.restore(from: "B")
        mayEnd.set()
        #expect(try await waiting.value == "old")
        #expect(covers.valueInMemory(for: "cover") == nil && store.cache.value(for: "cover") == nil)
        #expect(try await covers.value(for: "cover") { Array("new".utf8) } == "new")
        try await store.close()
    }
}
