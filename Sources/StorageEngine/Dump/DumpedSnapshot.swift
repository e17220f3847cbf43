/// A snapshot file, opened for looking at in whatever state it is.
struct DumpedSnapshot {
    let path: String
    let file: any File
    /// The first page and the last whole one, where the superblocks are.
    let first: DumpedBytes
    let last: DumpedBytes
    /// The first of the two that is sound and fits the file.
    let superblock: Superblock?
    let links: PageLinks

    init(_ file: any File, path: String) throws(StorageError) {
        self.file = file
        self.path = path
        let size = NodeLayout.pageByteCount
        let byteCount = try file.byteCount()
        first = try DumpedBytes(file, at: 0, count: size)
        last = try DumpedBytes(file, at: max(0, byteCount / size - 1) * size, count: size)
        var found: Superblock?
        for piece in [first, last] where found == nil {
            found = try? Superblock(decoding: piece, path: path, file)
            if found?.fileByteCount != UInt64(byteCount) { found = nil }
        }
        superblock = found
        if let found { links = try PageLinks(file, found) } else { links = PageLinks() }
    }

    /// Whole pages of the file, superblocks and cold region included.
    var wholePageCount: Int {
        get throws(StorageError) { try file.byteCount() / NodeLayout.pageByteCount }
    }

    /// The page of symbols that values of a tree are written in, or the copy of it, and what is wrong with the first where that serves; `nil` where
    /// neither is one.
    func symbols(on page: Int, of tree: TreeNumber) throws(StorageError) -> (page: [UInt8], misfit: String?)? {
        let copy = superblock?.symbols(of: tree).map { Int($0.copy) }
        var misfit: String?
        for number in [page, copy ?? page] {
            let bytes = try self.page(number)
            guard let finding = finding(inSymbols: bytes, number, of: tree) else { return (bytes.bytes, misfit) }
            misfit = "page \(number), of its symbols: \(finding)"
        }
        return nil
    }

    /// Without a superblock nobody knows what the seal should be.
    private func finding(inSymbols bytes: DumpedBytes, _ number: Int, of tree: TreeNumber) -> String? {
        bytes.withSpan { bytes in
            guard let superblock else { return SymbolValidation.layoutFinding(in: bytes) }
            let seal = PageSeal(store: superblock.store, generation: superblock.generation)
            return SymbolValidation.finding(in: bytes, seal, number: number, of: tree)
        }
    }

    func page(_ number: Int) throws(StorageError) -> DumpedBytes {
        try DumpedBytes(file, at: number * NodeLayout.pageByteCount, count: NodeLayout.pageByteCount)
    }
}
