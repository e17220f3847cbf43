/// Where a superblock's catalogue lies, and how it is known.
struct CataloguePages: Equatable {
    let treeCount: Int
    let checksum: UInt32

    /// Of a page that has been found to be a superblock.
    init(of superblock: RawSpan) {
        treeCount = min(Int(superblock.load(SuperblockField.treeCount)), Limits.treeCount)
        checksum = superblock.load(SuperblockField.catalogueChecksum)
    }

    /// Pages.
    var count: Int { CatalogueField.pageCount(treeCount: treeCount) }

    /// Behind the superblock at the beginning of the file, before the one at its end.
    func bytes(ofSuperblockAt byteOffset: Int) -> Range<Int> {
        let byteCount = count * NodeLayout.pageByteCount
        let start = byteOffset == 0 ? NodeLayout.pageByteCount : byteOffset - byteCount
        return start..<start + byteCount
    }
}

/// The catalogue: every tree of a snapshot, with what it was declared as and where it begins.
extension Superblock {
    /// Reads the catalogue of a superblock, which was decoded from `page`.
    ///
    /// - Parameter read: gives bytes of the file; fewer where it ends before.
    mutating func readCatalogue(
        of page: RawSpan, path: String, at byteOffset: Int, _ read: (Range<Int>) throws(StorageError) -> [UInt8]
    ) throws(StorageError) {
        let pages = CataloguePages(of: page)
        let place = pages.bytes(ofSuperblockAt: byteOffset)
        let bytes = place.lowerBound < 0 ? [] : try read(place)
        try bytes.withBytes { (bytes) throws(StorageError) in
            try decodeCatalogue(bytes, pages, path: path, at: place.lowerBound)
        }
    }

    /// Pages of the superblock and its catalogue.
    var headPageCount: Int { 1 + CatalogueField.pageCount(treeCount: trees.count) }

    /// Where a tree's symbols lie: the last pages are copies of those of all trees that have some, in their order. `nil` for a tree without any.
    func symbols(of tree: TreeNumber) -> SymbolPages? {
        guard let index = trees.firstIndex(where: { $0.declaration.number == tree }), trees[index].symbolsPage > 0
        else { return nil }
        let behind = UInt32(trees[index...].count { $0.symbolsPage > 0 })
        return SymbolPages(page: trees[index].symbolsPage, copy: pageCount - behind)
    }

    func encodedCatalogue() -> [UInt8] {
        let pageCount = CatalogueField.pageCount(treeCount: trees.count)
        var bytes = [UInt8](repeating: 0, count: pageCount * NodeLayout.pageByteCount)
        for (index, tree) in trees.enumerated() {
            tree.store(in: &bytes, at: CatalogueField.start(ofTree: index))
        }
        return bytes
    }

    /// Reads the trees from hostile bytes.
    private mutating func decodeCatalogue(
        _ bytes: RawSpan, _ pages: CataloguePages, path: String, at byteOffset: Int
    ) throws(StorageError) {
        func damage(_ finding: String, tree index: Int = 0) -> StorageError {
            let place = byteOffset + CatalogueField.start(ofTree: index)
            return .damaged(
                Damage(file: path, byteOffset: place, page: place / NodeLayout.pageByteCount, finding: finding))
        }
        guard bytes.byteCount == pages.count * NodeLayout.pageByteCount else {
            throw damage("the file ends within the catalogue")
        }
        let computed = CRC32C.checksum(bytes)
        guard computed == pages.checksum else {
            throw damage(
                "the catalogue's checksum is \(computed.hexadecimal), the superblock says \(pages.checksum.hexadecimal)"
            )
        }
        var found: [Tree] = []
        found.reserveCapacity(pages.treeCount)
        for index in 0..<pages.treeCount {
            let start = CatalogueField.start(ofTree: index)
            let name = bytes.load(CatalogueField.name, at: start).prefix { $0 != 0 }
            guard let placement = ValuePlacement(rawValue: bytes.load(CatalogueField.placement, at: start)) else {
                throw damage("tree \(index) has an unknown placement", tree: index)
            }
            guard let columns = TreeColumns(word: bytes.load(CatalogueField.columns, at: start)) else {
                throw damage("tree \(index) has unknown columns", tree: index)
            }
            guard let name = String(validating: name, as: UTF8.self) else {
                throw damage("the name of tree \(index) is not UTF-8", tree: index)
            }
            let declaration = TreeDeclaration(
                TreeNumber(bytes.load(CatalogueField.number, at: start)), name,
                facetCount: Int(bytes.load(CatalogueField.facetCount, at: start)), columns: columns,
                placement: placement,
                home: KeyLead(code: bytes.load(CatalogueField.lead, at: start)).map {
                    TreeHome(TreeNumber(bytes.load(CatalogueField.home, at: start)), lead: $0)
                })
            if let objection = declaration.objection { throw damage(objection, tree: index) }
            let tree = Tree(
                declaration: declaration, rootPage: bytes.load(CatalogueField.rootPage, at: start),
                rootChecksum: bytes.load(CatalogueField.rootChecksum, at: start),
                height: bytes.load(CatalogueField.height, at: start),
                leafPages: bytes.load(CatalogueField.leafPages, at: start),
                branchPages: bytes.load(CatalogueField.branchPages, at: start),
                entryCount: bytes.load(CatalogueField.entryCount, at: start),
                keyByteCount: bytes.load(CatalogueField.keyByteCount, at: start),
                valueByteCount: bytes.load(CatalogueField.valueByteCount, at: start),
                usedByteCount: bytes.load(CatalogueField.usedByteCount, at: start),
                symbolsPage: bytes.load(CatalogueField.symbolsPage, at: start))
            guard max(tree.entryCount, tree.keyByteCount, tree.valueByteCount, tree.usedByteCount) < Limits.numberLimit
            else { throw damage("the totals of tree \(declaration.name) are larger than a store holds", tree: index) }
            let treePages = UInt32(1 + pages.count)..<pageCount
            guard tree.rootPage == 0 || treePages.contains(tree.rootPage) else {
                throw damage("the root of tree \(declaration.name) is no page of this file", tree: index)
            }
            guard tree.symbolsPage == 0 || treePages.contains(tree.symbolsPage) else {
                throw damage("the symbols of tree \(declaration.name) are on no page of this file", tree: index)
            }
            found.append(tree)
        }
        if let index = Self.repetition(in: found.map(\.declaration.number.rawValue)) {
            throw damage("tree \(found[index].declaration.number.rawValue) is there twice", tree: index)
        }
        if let index = Self.repetition(in: found.map(\.rootPage)) {
            throw damage("two trees begin at page \(found[index].rootPage)", tree: index)
        }
        let symbolsCount = found.count { $0.symbolsPage > 0 }
        guard Int(pageCount) >= 1 + pages.count + symbolsCount else {
            throw damage("there is no room for a copy of the symbols of \(symbolsCount) trees")
        }
        trees = found
    }
}

extension Superblock {
    /// The place of a number, other than 0, that is there before. Sorted, and not put into a set: the first set of a process takes 0.1 ms, which
    /// every launch of an app would wait for.
    private static func repetition(in numbers: [UInt32]) -> Int? {
        let sorted = numbers.sorted()
        for (number, next) in zip(sorted, sorted.dropFirst()) where number == next && number != 0 {
            return numbers.lastIndex(of: number)
        }
        return nil
    }
}

extension Superblock.Tree {
    fileprivate func store(in bytes: inout [UInt8], at start: Int) {
        bytes.store(declaration.number.rawValue, in: CatalogueField.number, at: start)
        bytes.store(UInt8(declaration.facetCount), in: CatalogueField.facetCount, at: start)
        bytes.store(declaration.placement.rawValue, in: CatalogueField.placement, at: start)
        bytes.store(height, in: CatalogueField.height, at: start)
        bytes.store(rootPage, in: CatalogueField.rootPage, at: start)
        bytes.store(rootChecksum, in: CatalogueField.rootChecksum, at: start)
        bytes.store(leafPages, in: CatalogueField.leafPages, at: start)
        bytes.store(branchPages, in: CatalogueField.branchPages, at: start)
        bytes.store(symbolsPage, in: CatalogueField.symbolsPage, at: start)
        bytes.store(entryCount, in: CatalogueField.entryCount, at: start)
        bytes.store(keyByteCount, in: CatalogueField.keyByteCount, at: start)
        bytes.store(valueByteCount, in: CatalogueField.valueByteCount, at: start)
        bytes.store(usedByteCount, in: CatalogueField.usedByteCount, at: start)
        bytes.store(declaration.columns.word, in: CatalogueField.columns, at: start)
        bytes.store(declaration.home?.lead.code ?? 0, in: CatalogueField.lead, at: start)
        bytes.store(declaration.home?.tree.rawValue ?? 0, in: CatalogueField.home, at: start)
        bytes.store(Array(declaration.name.utf8), in: CatalogueField.name, at: start)
    }
}
