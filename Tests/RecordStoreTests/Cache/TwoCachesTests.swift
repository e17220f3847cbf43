import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Two processes at one cache, as two objects that know nothing of each other.
@Suite struct TwoCachesTests {
    private struct Known {
        var bytes: [UInt8]
        var validity: Range<UInt64>
    }

    @Test(arguments: 0..<12)
    func `random calls of two caches at one directory give what was set last under the key, or nothing`(
        _ history: Int
    ) throws {
        var random = SeededGenerator.forTest(fallback: UInt64(1000 + history))
        let disk = MemoryFileSystem()
        let clock = TestClock()
        let blockLimit = 32
        // Some histories have keys of one hash.
        let nameCount: UInt64 = history % 3 == 0 ? 7 : .max
        let caches = (0..<2).map { _ in
            BlobCache.onDisk(disk, clock, blockLimit: blockLimit, nameCount: nameCount)
        }
        let reader = BlobCache.onDisk(disk, clock, isReadOnly: true, nameCount: nameCount)
        var known: [String: Known] = [:]
        var givenCount = 0
        for step in 0..<1500 {
            let cache = caches.randomElement(using: &random)!
            let key = "key \(Int.random(in: 0..<40, using: &random))"
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40:
                let lifetime = CacheLifetime.seconds(Int.random(in: 1...200, using: &random))
                let text = "\(step) \(key)"
                let bytes =
                    Array(text.utf8) + [UInt8](repeating: 0, count: Int.random(in: 0...9000, using: &random))
                #expect(cache.set(key, bytes, for: lifetime))
                known[key] = Known(bytes: bytes, validity: lifetime.range(from: clock.time))
            case 40..<80:
                let found = (random.oneIn(4) ? reader : cache).value(for: key)
                guard let found else { break }
                givenCount += 1
                #expect(known[key]?.bytes == found, "step \(step)")
                #expect(known[key]?.validity.contains(clock.time) == true, "step \(step)")
            case 80..<84:
                cache.remove(key)
                known[key] = nil
            case 84..<90: clock.pass(.seconds(Int.random(in: 0...30, using: &random)))
            case 90: clock.goBack(.seconds(Int.random(in: 0...30, using: &random)))
            case 91: cache.releaseMemory()
            case 92 where random.oneIn(10):
                cache.removeAll()
                known = [:]
            default: try spoil(disk, &random)
            }
            let blockCount = try disk.cachedBlockCount()
            #expect(blockCount <= blockLimit + 2 * blockLimit / 8, "step \(step)")
        }
        #expect(givenCount > 50)
    }

    /// Damages a file, or puts another in its place.
    private func spoil(_ disk: MemoryFileSystem, _ random: inout SeededGenerator) throws {
        guard let path = try disk.cachedFiles().sorted().randomElement(using: &random) else { return }
        let file = try disk.openFile(path, .writing)
        let byteCount = try file.byteCount()
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try file.truncate(byteCount: Int.random(in: 0...byteCount, using: &random))
        case 1:
            // Another key's file under this name.
            let other = try disk.cachedFiles().sorted().randomElement(using: &random)!
            if other != path { try disk.rename(other, to: path) }
        case 2: disk.remove(path)
        default:
            let byte = [UInt8.random(in: 0...255, using: &random)]
            let byteOffset = Int.random(in: 0..<max(1, byteCount), using: &random)
            try byte.withUnsafeBytes { try file.write($0, at: byteOffset) }
        }
    }

    @Test func `two caches that are written to and read at the same time on a real disk give no wrong bytes`()
        async throws
    {
        let folder = "/tmp/bookdb-cache-\(UInt64.random(in: 0 ... .max))"
        let disk = PosixFileSystem()
        try disk.createDirectory(folder, sharing: .owner)
        defer {
            for name in (try? disk.names(inDirectory: folder + "/cache")) ?? [] {
                try? disk.remove(folder + "/cache/" + name)
            }
            try? disk.removeDirectory(folder + "/cache")
            try? disk.removeDirectory(folder)
        }
        let clock = TestClock()
        let caches = (0..<2).map { _ in
            BlobCache(
                BlobFiles(
                    directory: folder + "/cache", store: [UInt8](repeating: 1, count: 16), fileSystem: disk),
                byteLimit: 24 * 4096, now: { clock.time })
        }
        await withTaskGroup { group in
            for worker in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(worker))
                    let cache = caches[worker % 2]
                    for step in 0..<400 {
                        let key = "key \(Int.random(in: 0..<16, using: &random))"
                        switch step % 8 {
                        case 0..<3:
                            let count = Int.random(in: 0...9000, using: &random)
                            cache.set(key, Array(key.utf8) + [UInt8](repeating: 0, count: count), for: .days(1))
                        case 7:
                            cache.remove(key)
                            clock.pass(.minutes(10))
                        default:
                            guard let found = cache.value(for: key) else { continue }
                            #expect(found.prefix { $0 != 0 }.elementsEqual(key.utf8))
                        }
                    }
                }
            }
        }
        caches[0].removeAll()
        #expect(try disk.names(inDirectory: folder + "/cache").isEmpty)
    }
}
