@testable import StorageEngine

extension FuzzTarget {
    /// Whatever a snapshot file holds, reading it gives entries or damage. When verify finds nothing, everything can be read,
    /// agrees with everything else, can be changed, and a compaction writes it out whole.
    static let snapshot = FuzzTarget(
        name: "snapshot", summary: "snapshot files with right checksums: read, verified, dumped, changed, compacted",
        byteLimit: 1024
    ) { bytes in
        var reader = ByteReader(bytes)
        let mode = reader.byte()
        var file: [UInt8]
        var edits = ByteReader([])
        if mode == 255 {
            file = reader.remainder()
        } else {
            file = SnapshotImage.all[Int(mode) % SnapshotImage.all.count].bytes
            edits = ByteReader(reader.bytes(Int(reader.byte()) % 64))
            BytePatches.apply(&reader, to: &file)
            if mode < 192 { file = SnapshotSealing.sealed(file) }
        }
        let name = StoreFolder.snapshot(SnapshotImage.generation)
        var files = [name: file]
        if mode != 255 { files[StoreFolder.log(2)] = emptyLog }
        let disk = StoreFolder.disk(files)
        // Telling of every byte takes longer than all the rest.
        if mode & 64 == 64 { _ = try FileDump.lines(of: StoreFolder.path + "/" + name, fileSystem: disk) }
        do {
            let report = try Verifier.verify(at: StoreFolder.path, fileSystem: disk)
            let inspection = try? StoreInspection(at: StoreFolder.path, fileSystem: disk)
            _ = inspection?.trees.map { ($0.fill, $0.pageByteCount) }
            let opened = try StoreOpening(
                files: StoreFolder.names, fileSystem: disk,
                options: Options(compaction: .manual), declared: []
            ).open()
            try StoreCheck(state: opened.state, isSound: report.isSound, log: emptyLog).run(&edits)
        } catch is StorageError {
            // What an opening says of bytes that are no store.
        }
    }
}

/// Behind the snapshot of an image there is a log, and nothing in it.
private let emptyLog = LogSegmentHeader(
    store: SnapshotImage.store, sequence: 2, baseCommit: 1, previousChecksum: 0
).encoded()
