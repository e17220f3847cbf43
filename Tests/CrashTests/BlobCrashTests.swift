import CrashSimulation
import StorageEngine
import TestSupport
import Testing

/// Power cuts at the operations of a cache. Nothing of it is flushed, so a crash may leave any part of it.
@Suite struct BlobCrashTests {
    private static let directory = "Cache"

    private static func files(_ disk: RecordingDisk, token: UInt64 = 0x70CE) -> BlobFiles {
        BlobFiles(directory: directory, store: Array("0123456789abcdef".utf8), fileSystem: disk, token: token)
    }

    /// Keys of which two have one name.
    private static let keys: [(key: [UInt8], name: BlobName)] = [
        ([1], BlobName(hash: 1)), ([2], BlobName(hash: 2)), ([3], BlobName(hash: 2)),
    ]

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `a crash at any random operation loses blobs at most and never gives wrong bytes`(seed: UInt64) async throws {
        print("BOOKDB_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        let disk = RecordingDisk(directory: Self.directory, image: DiskImage(files: nil))
        let files = Self.files(disk)
        var written: [Blob] = []
        for step in 0..<10 {
            let (key, name) = Self.keys.randomElement(using: &random)!
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try files.remove(name)
            case 1: try files.setUsed(random.next(), name)
            default:
                // Lengths on both sides of a block, so that what is torn ends within the bytes, the key and the header.
                let count = [0, 3, 700, 9000].randomElement(using: &random)!
                let blob = Blob(
                    key: key, bytes: [UInt8](repeating: UInt8(step + 1), count: count), written: UInt64(step),
                    lifetime: 10)
                written.append(blob)
                _ = try files.write(blob, name)
            }
        }
        var explorer = CrashExplorer(seed: seed)
        explorer.exhaustiveCount = 3
        explorer.sampleCount = 8
        explorer.killStride = 3
        var servedCount = 0
        try await explorer.explore(disk) { crash in
            let files = Self.files(crash.disk, token: 0x70CF)
            for (key, name) in Self.keys {
                guard case .blob(let found, _) = try files.read(name) else { continue }
                servedCount += 1
                // A name may lead to the blob of another key that has it; whoever asks compares the key.
                #expect(written.contains(found), "BOOKDB_SEED=\(seed), operation \(crash.operationCount)")
                #expect(found.key == key || Self.keys.contains { $0.name == name && $0.key == found.key })
            }
            // What a crash has left keeps nobody from writing.
            _ = try files.survey()
            let next = Blob(key: [1], bytes: [42], written: 0, lifetime: 1)
            _ = try files.write(next, BlobName(hash: 1))
            guard case .blob(next, _) = try files.read(BlobName(hash: 1)) else {
                Issue.record("BOOKDB_SEED=\(seed), operation \(crash.operationCount): the cache takes no more blobs")
                return
            }
        }
        #expect(explorer.coverage.distinctStates > 100 && servedCount > 20)
    }
}
