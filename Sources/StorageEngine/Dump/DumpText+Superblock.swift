extension DumpText {
    /// A superblock or its spare and its catalogue: every field, then what of it does not fit.
    mutating func superblock(_ piece: DumpedBytes, of file: any File, path: String) throws(StorageError) {
        // Of one that is not sound it is not known where its catalogue lies.
        let isSound = (try? Superblock(alone: piece, path: path)) != nil
        let pages = isSound ? piece.withSpan { CataloguePages(of: $0) } : nil
        if piece.byteOffset > 0, let pages { try catalogue(of: file, pages, piece.byteOffset) }
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
        checksum(piece, SuperblockField.catalogueChecksum, "catalogue checksum")
        number(piece, SuperblockField.compatible, "compatible features")
        number(piece, SuperblockField.readOnly, "read-only features")
        number(piece, SuperblockField.incompatible, "incompatible features")
        number(piece, SuperblockField.pageTrailerCount, "trailer bytes of a page")
        number(piece, SuperblockField.blockTrailerCount, "trailer bytes of a block")
        field(piece, SuperblockField.reserved, "reserved")
        checksum(piece, SuperblockField.checksum, "checksum")
        if piece.byteOffset == 0, let pages { try catalogue(of: file, pages, 0) }
        do throws(StorageError) {
            _ = try Superblock(decoding: piece, path: path, file)
        } catch {
            misfit(error.finding)
        }
    }

    private mutating func catalogue(
        of file: any File, _ pages: CataloguePages, _ superblock: Int
    ) throws(StorageError) {
        let place = pages.bytes(ofSuperblockAt: superblock)
        guard place.lowerBound >= 0, pages.treeCount > 0 else { return }
        let piece = try DumpedBytes(file, at: place.lowerBound, count: place.count)
        title("catalogue at \(piece.byteOffset)")
        for index in 0..<pages.treeCount where CatalogueField.start(ofTree: index + 1) <= piece.count {
            tree(piece, CatalogueField.start(ofTree: index))
        }
    }

    private mutating func tree(_ piece: DumpedBytes, _ start: Int) {
        number(piece, CatalogueField.number, at: start, "tree")
        number(piece, CatalogueField.facetCount, at: start, "  facets")
        number(piece, CatalogueField.placement, at: start, "  placement")
        number(piece, CatalogueField.height, at: start, "  height")
        let lead = KeyLead(code: piece.number(CatalogueField.lead, at: start) ?? 0)
        field(piece, CatalogueField.lead, at: start, "  lead \(lead?.description ?? "none")")
        number(piece, CatalogueField.rootPage, at: start, "  root page")
        checksum(piece, CatalogueField.rootChecksum, at: start, "  root checksum")
        number(piece, CatalogueField.leafPages, at: start, "  leaf pages")
        number(piece, CatalogueField.branchPages, at: start, "  branch pages")
        number(piece, CatalogueField.entryCount, at: start, "  entries")
        number(piece, CatalogueField.keyByteCount, at: start, "  key bytes")
        number(piece, CatalogueField.valueByteCount, at: start, "  value bytes")
        number(piece, CatalogueField.usedByteCount, at: start, "  bytes in use")
        let columns = TreeColumns(word: piece.number(CatalogueField.columns, at: start) ?? 0)
        field(piece, CatalogueField.columns, at: start, "  columns \(columns?.words ?? "unknown")")
        let place = CatalogueField.name
        let name = piece.slice(start + place.offset..<start + place.end).prefix { $0 != 0 }
        field(piece, place, at: start, "  name \(Self.words(name))")
        number(piece, CatalogueField.home, at: start, "  home")
        number(piece, CatalogueField.symbolsPage, at: start, "  symbols page")
        field(piece, CatalogueField.reserved, at: start, "  reserved")
    }
}

extension Superblock {
    init(alone piece: DumpedBytes, path: String) throws(StorageError) {
        self = try piece.bytes.withBytes { (bytes) throws(StorageError) in
            try Superblock(decoding: bytes, path: path, at: piece.byteOffset)
        }
    }

    /// With its catalogue.
    init(decoding piece: DumpedBytes, path: String, _ file: any File) throws(StorageError) {
        try self.init(alone: piece, path: path)
        try piece.bytes.withBytes { (bytes) throws(StorageError) in
            try readCatalogue(of: bytes, path: path, at: piece.byteOffset) { (place) throws(StorageError) in
                try DumpedBytes(file, at: place.lowerBound, count: place.count).bytes
            }
        }
    }
}

extension StorageError {
    /// What is wrong, without the place.
    var finding: String {
        if case .damaged(let damage) = self { damage.finding } else { description }
    }
}
