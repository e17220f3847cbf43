@testable import StorageEngine

extension FuzzTarget {
    /// Whatever is left of a store, salvaging it gives keys that ascend and commits that follow, and no more than the files can hold. Of a store that verify
    /// finds sound it gives what an opening shows, and says that this is all.
    static let salvage = FuzzTarget(
        name: "salvage", summary: "damaged stores, and forged ones with right checksums: salvaged", byteLimit: 1024,
        check: .later { bytes in
            var reader = ByteReader(bytes)
            let mode = reader.byte()
            var files = try await BackupImage.made.store
            damage(&files, &reader, isSealed: mode & 1 == 1)
            let disk = try StoreFolder.memory(files)
            do {
                let salvage = try Salvage(at: StoreFolder.path, fileSystem: disk)
                let saved = try contents(of: salvage, fileByteCount: files.values.reduce(0) { $0 + $1.count })
                guard let opened = try contents(ofSoundStore: disk) else { return }
                let report = salvage.report
                try claim(report.isWhole, "verify finds nothing, a salvage does: \(report.places)")
                try claim(saved == opened, "\(saved.summary) are salvaged of \(opened.summary)")
            } catch is StorageError {
                let opened = try contents(ofSoundStore: disk)
                try claim(opened == nil, "nothing is salvaged of a store that is sound")
            }
        })
}

/// Pages of zeros or of other pages, bytes of any kind, files that end early or are gone.
private func damage(_ files: inout [String: [UInt8]], _ input: inout ByteReader, isSealed: Bool) {
    let names = files.keys.filter(StoreFiles.isOfStore).sorted()
    for _ in 0..<30 where !input.isAtEnd {
        let name = names[input.choice(names.count)]
        guard var bytes = files[name], !bytes.isEmpty else { continue }
        switch input.choice(8) {
        case 0...3: BytePatches.apply(&input, to: &bytes, atMost: 1)
        case 4:
            let offset = Int(input.number(UInt16.self)) % bytes.count
            BytePatches.write(input.bytes(1 + input.choice(8)), offset, &bytes)
        case 5:
            let page = input.choice((bytes.count + 4095) / 4096) * 4096
            for index in page..<min(page + 4096, bytes.count) { bytes[index] = 0 }
        case 6: bytes.removeLast(min(bytes.count, Int(input.number(UInt16.self))))
        default:
            if input.byte() < 32 {
                files[name] = nil
                continue
            }
        }
        files[name] = bytes
    }
    let snapshot = StoreFolder.snapshot(SnapshotImage.generation)
    if isSealed, let bytes = files[snapshot] { files[snapshot] = SnapshotSealing.sealed(bytes) }
}

/// `nil` when verify finds fault with the store, or it cannot be opened.
private func contents(ofSoundStore disk: MemoryFileSystem) throws -> StoreContents? {
    guard let report = try? Verifier.verify(at: StoreFolder.path, fileSystem: disk), report.isSound else { return nil }
    let opened = try? StoreOpening(
        files: StoreFolder.names, fileSystem: disk, options: Options(access: .readOnly, compaction: .manual),
        declared: []
    ).open()
    guard let state = opened?.state else { return nil }
    return try StoreContents(of: state)
}

private func contents(of salvage: Salvage, fileByteCount: Int) throws -> StoreContents {
    var contents = StoreContents()
    let numbers = Set(
        (salvage.report.trees.map(\.declaration) + salvage.report.declaredTrees).map(\.number)
            + salvage.report.changedTrees)
    var count = 0
    for tree in numbers {
        var entries = salvage.entries(in: tree)
        var last: [UInt8]?
        while let entry = try entries.next() {
            count += 1
            try claim(
                last.map { $0.lexicographicallyPrecedes(entry.key) } ?? true,
                "key \(entry.key) of \(tree) is not in order"
            )
            last = entry.key
            guard let value = entry.value else { continue }
            contents.trees[tree.rawValue, default: [:]][entry.key] = .init(
                bytes: value, facets: entry.facets.rawValue)
        }
    }
    try claim(count <= fileByteCount / 2 + 1000, "\(count) entries of \(fileByteCount) bytes")
    var commits = salvage.commits()
    var lastCommit: UInt64 = 0
    while let commit = try commits.nextCommit() {
        try claim(commit.number > lastCommit, "commit \(commit.number) comes behind \(lastCommit)")
        lastCommit = commit.number
        try commit.forEachOperation(in: numbers) { (operation) throws(StorageError) in
            switch operation {
            case .put(let tree, let key, let facets, let value):
                contents.trees[tree.rawValue, default: [:]][key] = .init(bytes: value, facets: facets.rawValue)
            case .remove(let tree, let key): contents.trees[tree.rawValue]?[key] = nil
            case .removeAll(let tree): contents.trees[tree.rawValue] = nil
            }
        }
    }
    return contents
}
