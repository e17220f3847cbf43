extension DumpText {
    /// A superblock or its spare: every field, then what of it does not fit.
    mutating func superblock(_ piece: DumpedBytes, path: String) {
        title("superblock at \(piece.byteOffset)")
        text(piece, SuperblockField.magic, "magic")
        number(piece, SuperblockField.formatVersion, "format version")
        number(piece, SuperblockField.pageByteCount, "page bytes")
        text(piece, SuperblockField.store, "store identifier")
        number(piece, SuperblockField.generation, "generation")
        number(piece, SuperblockField.commitNumber, "commit")
        number(piece, SuperblockField.fileByteCount, "file bytes")
        number(piece, SuperblockField.pageCount, "pages")
        number(piece, SuperblockField.treeCount, "trees")
        number(piece, SuperblockField.coldOffset, "cold region at")
        number(piece, SuperblockField.coldByteCount, "cold bytes")
        number(piece, SuperblockField.created, "created, ms since 1970")
        number(piece, SuperblockField.logSequence, "log from segment")
        checksum(piece, SuperblockField.logChecksum, "log checksum")
        field(piece, SuperblockField.reserved, "reserved")
        let treeCount = piece.number(SuperblockField.treeCount) ?? 0
        for index in 0..<min(Int(treeCount), Limits.treeCount) {
            tree(piece, SuperblockTreeField.start(ofTree: index))
        }
        checksum(piece, SuperblockField.checksum, "checksum")
        do throws(StorageError) {
            _ = try Superblock(decoding: piece, path: path)
        } catch {
            misfit(error.finding)
        }
    }

    private mutating func tree(_ piece: DumpedBytes, _ start: Int) {
        number(piece, SuperblockTreeField.number, at: start, "tree")
        number(piece, SuperblockTreeField.facetCount, at: start, "  facets")
        number(piece, SuperblockTreeField.placement, at: start, "  placement")
        number(piece, SuperblockTreeField.height, at: start, "  height")
        number(piece, SuperblockTreeField.rootPage, at: start, "  root page")
        checksum(piece, SuperblockTreeField.rootChecksum, at: start, "  root checksum")
        number(piece, SuperblockTreeField.leafPages, at: start, "  leaf pages")
        number(piece, SuperblockTreeField.branchPages, at: start, "  branch pages")
        field(piece, SuperblockTreeField.reserved, at: start, "  reserved")
        number(piece, SuperblockTreeField.entryCount, at: start, "  entries")
        number(piece, SuperblockTreeField.keyByteCount, at: start, "  key bytes")
        number(piece, SuperblockTreeField.valueByteCount, at: start, "  value bytes")
        number(piece, SuperblockTreeField.usedByteCount, at: start, "  bytes in use")
        let place = SuperblockTreeField.name
        let name = piece.slice(start + place.offset..<start + place.end).prefix { $0 != 0 }
        field(piece, place, at: start, "  name \(Self.words(name))")
        field(piece, SuperblockTreeField.reservedEnd, at: start, "  reserved")
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
