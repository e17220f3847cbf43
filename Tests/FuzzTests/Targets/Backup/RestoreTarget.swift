@testable import StorageEngine

extension FuzzTarget {
    /// However far a staged restore came, and whatever its marks hold, an opening gives the store as it was or the restored one, and the next gives
    /// the same.
    static let restore = FuzzTarget(
        name: "restore", summary: "restores that were interrupted at any step, and marks with right checksums: opened",
        byteLimit: 256,
        check: .later { bytes in
            var reader = ByteReader(bytes)
            let staged = try await StagedImage.made
            let step = StagedImage.Step.allCases[reader.choice(StagedImage.Step.allCases.count)]
            var files = try staged.files(after: step)
            var isForged = false
            for name in ["restore", "restored"] where files[name] != nil {
                guard let mark = change(files[name] ?? [], &reader) else { continue }
                isForged = true
                files[name] = mark
            }
            // What a restore removes at its end goes in any order.
            if step == .noted {
                for name in files.keys.sorted() where staged.mark.replaces(name) && reader.byte() & 1 == 1 {
                    files[name] = nil
                }
            }
            let disk = try StoreFolder.memory(files)
            do {
                let found = try open(disk)
                try claim(
                    found == staged.before || found == staged.restored, "after \(step) there is \(found.summary)")
                if !isForged {
                    try claim(found == staged.restored, "after \(step) the restore was not carried out")
                }
                try claim(try open(disk) == found, "after \(step) the second opening gives another store")
            } catch let error as StorageError {
                try claim(isForged, "after \(step) it cannot be opened: \(error)")
            }
        })
}

/// A mark with some bytes changed, and its checksum; `nil` when the input leaves it.
private func change(_ mark: [UInt8], _ input: inout ByteReader) -> [UInt8]? {
    var bytes = mark
    for _ in 0..<input.choice(4) {
        let offset = input.choice(bytes.count)
        BytePatches.write(input.bytes(1 + input.choice(8)), offset, &bytes)
    }
    guard bytes != mark else { return nil }
    if input.byte() < 250 {
        let end = RestoreMarkField.checksum.end
        let header = bytes.withBytes { CRC32C.checksum($0, before: RestoreMarkField.checksum) }
        bytes.store(CRC32C.checksum(Array(bytes[end...]), seed: header), in: RestoreMarkField.checksum)
    }
    return bytes
}

private func open(_ disk: MemoryFileSystem) throws -> StoreContents {
    try StoreContents(
        of: StoreOpening(
            files: StoreFolder.names, fileSystem: disk, options: Options(compaction: .manual), declared: []
        ).open().state)
}

/// A store with a restore staged beside it, and what it is before and after.
private struct StagedImage: Sendable {
    /// What a crash comes behind.
    enum Step: CaseIterable { case staged, segment, named, noted }

    let before: StoreContents
    let restored: StoreContents
    let mark: RestoreMark
    private let staged: [String: [UInt8]]

    /// Made once.
    static var made: StagedImage {
        get async throws { try await making.value }
    }

    private static let making = Task { try await StagedImage(BackupImage.made) }
    private static let commit: UInt64 = 3

    private init(_ image: BackupImage) throws {
        let disk = try StoreFolder.memory(image.store)
        try BackupForgery(image, isFile: true).lay(on: disk)
        let plan = try RestorePlan(
            .commit(Self.commit), from: Backup(at: BackupForgery.path, fileSystem: disk))
        _ = try RestoreStaging(
            plan: plan, files: StoreFolder.names, fileSystem: disk, identifier: Array("a restored store".utf8),
            progress: { (_) throws(StorageError) in }
        ).stage(replacing: true, sharing: .owner)
        guard let mark = try RestoreMark.staged(StoreFolder.names, disk), let restored = image.contents[Self.commit],
            let before = image.contents[image.lastCommit]
        else { throw FuzzFinding("a restore that was staged leaves a mark") }
        (self.mark, self.before, self.restored) = (mark, before, restored)
        staged = try StoreFolder.files(in: StoreFolder.path, on: disk)
    }

    func files(after step: Step) throws -> [String: [UInt8]] {
        var files = staged
        guard step != .staged else { return files }
        files[StoreFolder.log(mark.logSequence)] = mark.segmentHeader.encoded()
        guard step != .segment else { return files }
        let name = String(StoreFolder.names.staged(mark.generation).dropFirst(StoreFolder.path.count + 1))
        files[StoreFolder.snapshot(mark.generation)] = files.removeValue(forKey: name)
        if step == .noted { files["restored"] = mark.carriedOut(at: 1).encoded() }
        return files
    }
}
