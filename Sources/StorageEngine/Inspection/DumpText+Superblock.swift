extension DumpText {
    /// A superblock or its spare: every field, then what of it does not fit.
    mutating func superblock(_ piece: DumpedBytes, path: String) {
        title("superblock at \(piece.byteOffset)")
        text(piece, 0, 8, "magic")
        number(piece, 8, UInt32.self, "format version")
        number(piece, 12, UInt32.self, "page bytes")
        text(piece, 16, 16, "store identifier")
        number(piece, 32, UInt64.self, "generation")
        number(piece, 40, UInt64.self, "commit")
        number(piece, 48, UInt64.self, "file bytes")
        number(piece, 56, UInt32.self, "pages")
        number(piece, 60, UInt32.self, "trees")
        number(piece, 64, UInt64.self, "cold region at")
        number(piece, 72, UInt64.self, "cold bytes")
        number(piece, 80, UInt64.self, "created, ms since 1970")
        number(piece, 88, UInt64.self, "log from segment")
        checksum(piece, 96, "log checksum")
        field(piece, 100, Superblock.treesOffset - 100, "reserved")
        let treeCount = piece.number(60, UInt32.self) ?? 0
        for index in 0..<min(Int(treeCount), Limits.treeCount) {
            tree(piece, Superblock.treesOffset + index * Superblock.treeByteCount)
        }
        checksum(piece, Superblock.checksumOffset, "checksum")
        do throws(StorageError) {
            _ = try Superblock(decoding: piece, path: path)
        } catch {
            misfit(error.finding)
        }
    }

    private mutating func tree(_ piece: DumpedBytes, _ start: Int) {
        number(piece, start, UInt8.self, "tree")
        number(piece, start + 1, UInt8.self, "  facets")
        number(piece, start + 2, UInt8.self, "  placement")
        number(piece, start + 3, UInt8.self, "  height")
        number(piece, start + 4, UInt32.self, "  root page")
        checksum(piece, start + 8, "  root checksum")
        number(piece, start + 12, UInt32.self, "  leaf pages")
        number(piece, start + 16, UInt32.self, "  branch pages")
        field(piece, start + 20, 4, "  reserved")
        number(piece, start + 24, UInt64.self, "  entries")
        number(piece, start + 32, UInt64.self, "  key bytes")
        number(piece, start + 40, UInt64.self, "  value bytes")
        number(piece, start + 48, UInt64.self, "  bytes in use")
        let name = piece.slice(start + 56..<start + 56 + Limits.treeNameByteCount).prefix { $0 != 0 }
        field(piece, start + 56, Limits.treeNameByteCount, "  name \(Self.words(name))")
        field(piece, start + 88, 8, "  reserved")
    }
}

extension Superblock {
    init(decoding piece: DumpedBytes, path: String) throws(StorageError) {
        self = try piece.bytes.withBytes { (bytes) throws(StorageError) in
            try Superblock(decoding: bytes, path: path, at: piece.byteOffset)
        }
    }
}

extension StorageError {
    /// What is wrong, without the place.
    var finding: String {
        if case .damaged(let damage) = self { damage.finding } else { description }
    }
}
