/// A file beside a companion that is being made, for what would else wait in memory for its turn. It goes when the companion is done.
final class CompanionScratch {
    private let path: String
    private let fileSystem: any FileSystem
    /// `nil` until something is set aside.
    private var file: (any File)?
    private var byteCount = 0

    init(path: String, _ fileSystem: any FileSystem) {
        self.path = path
        self.fileSystem = fileSystem
    }

    func append(_ bytes: [UInt8]) throws(StorageError) -> BytesAside {
        let file = try openedFile()
        let aside = BytesAside(byteOffset: byteCount, byteCount: bytes.count, checksum: CRC32C.checksum(bytes))
        try file.write(bytes, at: byteCount)
        byteCount += bytes.count
        return aside
    }

    private func openedFile() throws(StorageError) -> any File {
        if let file { return file }
        let opened = try fileSystem.openFile(path, .creating)
        file = opened
        return opened
    }

    /// - Throws: `.damaged` where they are not what was written.
    func read(_ aside: BytesAside) throws(StorageError) -> [UInt8] {
        guard let file else { preconditionFailure("something was set aside") }
        let bytes = try file.read(byteCount: aside.byteCount, at: aside.byteOffset)
        guard bytes.count == aside.byteCount, CRC32C.checksum(bytes) == aside.checksum else {
            throw .damaged(
                Damage(
                    file: path, byteOffset: aside.byteOffset,
                    finding: "\(aside.byteCount) bytes that were set aside are not what was written"))
        }
        return bytes
    }

    func discard() {
        guard let file else { return }
        file.close()
        self.file = nil
        // Best effort: what stays behind is removed at the next opening.
        try? fileSystem.remove(path)
    }
}

/// Where bytes are that a companion's writer has set aside.
package struct BytesAside: Sendable {
    fileprivate let byteOffset: Int
    fileprivate let byteCount: Int
    fileprivate let checksum: UInt32
}
