@testable import StorageEngine

/// A backup with an input's changes in it, and checksums that fit them where the input wants that.
struct BackupForgery {
    /// What was changed, if anything.
    private(set) var isChanged = false
    private let isFile: Bool
    private var manifest: [UInt8]
    private var parts: [[UInt8]]
    private let kinds: [BackupPart]

    static let path = "Backup"

    init(_ image: BackupImage, isFile: Bool) {
        var manifest = image.manifest
        var end = Self.page
        for index in manifest.parts.indices where isFile {
            manifest.parts[index].place = UInt64(end)
            end = (end + image.parts[index].count + Self.page - 1) / Self.page * Self.page
        }
        (self.isFile, parts, kinds) = (isFile, image.parts, image.manifest.parts)
        self.manifest = manifest.encoded()
    }

    private static let page = BackupManifest.pageByteCount

    // MARK: Changing

    mutating func change(_ input: inout ByteReader, atMost limit: Int = 40) {
        for _ in 0..<limit where !input.isAtEnd {
            isChanged = true
            let part = input.choice(parts.count)
            switch input.choice(8) {
            case 0...3: changeManifest(&input)
            case 4, 5: BytePatches.apply(&input, to: &parts[part], atMost: 1)
            case 6:
                let offset = Int(input.number(UInt16.self)) % max(1, parts[part].count)
                BytePatches.write(input.bytes(1 + input.choice(8)), offset, &parts[part])
            default:
                let count = input.choice(128)
                if input.byte() < 128 {
                    parts[part].removeLast(min(count, parts[part].count))
                } else {
                    parts[part].append(zeros: count)
                }
            }
        }
    }

    /// A field gets bytes, another's value, or one that is a little more or less.
    private mutating func changeManifest(_ input: inout ByteReader) {
        let place = Int(input.number(UInt16.self)) % (manifest.count / 4) * 4
        switch input.choice(3) {
        case 0: BytePatches.write(input.bytes(1 + input.choice(8)), place, &manifest)
        case 1:
            let other = Int(input.number(UInt16.self)) % (manifest.count / 4) * 4
            BytePatches.write(Array(manifest[other...].prefix(8)), place, &manifest)
        default:
            guard place + 8 <= manifest.count else { return }
            let number = manifest.withBytes { $0.loadLittleEndian(at: place, as: UInt64.self) }
            let changed = number &+ UInt64(bitPattern: Int64(input.byte()) - 128)
            BytePatches.write((0..<8).map { UInt8(truncatingIfNeeded: changed >> (8 * UInt64($0))) }, place, &manifest)
        }
    }

    // MARK: Sealing

    /// Snapshots and the manifest get the checksums of what they have now.
    mutating func sealParts() {
        for index in parts.indices {
            if kinds[index].kind == .snapshot, kinds[index].number == SnapshotImage.generation {
                parts[index] = SnapshotSealing.sealed(parts[index])
            }
            let entry = BackupField.checksum.end + index * BackupField.Part.end
            manifest.store(CRC32C.checksum(parts[index]), in: BackupField.Part.checksum, at: entry)
            manifest.store(UInt64(parts[index].count), in: BackupField.Part.byteCount, at: entry)
        }
    }

    mutating func sealManifest() {
        manifest.store(BackupManifest.checksum(manifest), in: BackupField.checksum)
    }

    // MARK: Laying down

    func lay(on disk: MemoryFileSystem) throws {
        guard !isFile else { return try StoreFolder.write(file, to: Self.path, on: disk) }
        disk.createDirectory(Self.path)
        try StoreFolder.write(manifest, to: Self.path + "/manifest", on: disk)
        // Whoever forges a manifest names the files as it wants them.
        let named = (try? BackupManifest(decoding: manifest, path: Self.path).parts) ?? kinds
        for (part, bytes) in zip(named, parts) {
            try StoreFolder.write(bytes, to: Self.path + "/" + part.name, on: disk)
        }
    }

    private var file: [UInt8] {
        var bytes = BackupFile.head
        for part in parts {
            bytes += part
            bytes.append(zeros: (Self.page - bytes.count % Self.page) % Self.page)
        }
        return bytes + manifest + BackupFile.trailer(bytes.count, manifest.count)
    }
}
