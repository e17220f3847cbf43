extension DumpText {
    /// One page: its header, then everything in it, in the order it lies there.
    mutating func page(
        _ number: Int, _ piece: DumpedBytes, of snapshot: DumpedSnapshot
    ) throws(StorageError) {
        let superblock = snapshot.superblock
        guard piece.count == NodeLayout.pageByteCount else {
            return misfit("page \(number) lies behind the end of the file")
        }
        guard !piece.isZero else {
            title("page \(number) at \(piece.byteOffset), empty")
            if let link = snapshot.links.links[number] { misfit("\(link.holder) leads here") }
            return
        }
        if piece.checked(NodeField.kind) == NodeLayout.symbols { return symbols(number, piece, superblock) }
        let checksum = CRC32C.checksum(piece.bytes)
        let link = snapshot.links.links[number]
        title(
            "page \(number) at \(piece.byteOffset), checksum \(checksum.hexadecimal)"
                + (link?.checksum == checksum ? " as in \(link?.holder ?? "")" : ""))
        if let link, link.checksum != checksum {
            misfit("\(link.holder) says \(link.checksum.hexadecimal)")
        } else if link == nil, superblock != nil, snapshot.links.unreadable.isEmpty {
            misfit("nothing leads to this page")
        }
        pageHeader(piece, superblock)
        // From here on the page must have a layout that keeps every access within it.
        if let finding = DumpedPage.finding(in: piece, superblock) {
            misfit(finding)
            return rows(piece, from: NodeLayout.headerByteCount)
        }
        let trailerByteCount = Int(superblock?.pageTrailerByteCount ?? 0)
        guard piece.checked(NodeField.kind) != NodeLayout.permutationLeaf else {
            return places(piece, trailerByteCount: trailerByteCount)
        }
        guard piece.checked(NodeField.kind) != NodeLayout.packedLeaf else {
            let page = piece.checked(PackedField.symbolsPage)
            let tree = TreeNumber(UInt32(piece.checked(NodeField.tree)))
            let symbols = page == 0 ? nil : try snapshot.symbols(on: page, of: tree)
            if page > 0, symbols == nil { misfit("page \(page) does not hold the symbols of its values") }
            if let found = symbols?.misfit { misfit(found) }
            return packed(piece, symbols: symbols?.page, trailerByteCount: trailerByteCount)
        }
        guard let page = DumpedPage(piece, superblock) else { return }
        contents(page, trailerByteCount: trailerByteCount)
    }

    mutating func pageHeader(_ piece: DumpedBytes, _ superblock: Superblock?) {
        let kind = piece.checked(NodeField.kind)
        let names = [
            Int(NodeLayout.leaf): " (leaf)", Int(NodeLayout.branch): " (branch)",
            Int(NodeLayout.permutationLeaf): " (leaf with places)", Int(NodeLayout.packedLeaf): " (packed leaf)",
            Int(NodeLayout.symbols): " (symbols)",
        ]
        let name = names[kind] ?? ""
        field(piece, NodeField.kind, "kind \(kind)\(name)")
        number(piece, NodeField.facetCount, "facets")
        let counted = [Int(NodeLayout.branch): "children", Int(NodeLayout.symbols): "symbols"]
        number(piece, NodeField.count, counted[kind] ?? "entries")
        number(piece, NodeField.capacity, "capacity")
        number(piece, NodeField.prefixLength, "prefix length")
        number(piece, NodeField.prefixOffset, "prefix offset")
        number(piece, NodeField.level, "level")
        number(piece, NodeField.columnCount, "columns")
        number(piece, NodeField.used, "bytes in use")
        number(piece, NodeField.tree, "tree")
        number(piece, NodeField.reserved, "reserved")
        number(piece, NodeField.pageNumber, "page number")
        guard let superblock else { return checksum(piece, NodeField.seal, "seal") }
        checksum(piece, NodeField.seal, "seal")
        let seal = PageSeal(store: superblock.store, generation: superblock.generation)
        if !piece.withSpan(seal.isOn) { misfit("the seal is not of this generation") }
        let tree = TreeNumber(piece.number(NodeField.tree) ?? 0)
        if !superblock.trees.contains(where: { $0.declaration.number == tree }) {
            misfit("there is no tree \(tree.rawValue)")
        }
    }

    private mutating func contents(_ page: DumpedPage, trailerByteCount: Int) {
        let piece = page.bytes
        for index in 0..<page.count {
            let length = Self.count(page.suffix(index).count, "byte")
            field(piece, page.arrays.slots[index], "slot \(index): \(length) of key at \(page.offset(index))")
        }
        if page.isLeaf {
            if page.facetCount > 0 { array(piece, page.arrays.facets, "facets") }
        } else {
            array(piece, page.arrays.children, "children")
            for column in 0..<page.columnCount { array(piece, page.arrays.column(column), "column \(column)") }
            array(piece, page.arrays.checksums, "checksums")
            array(piece, page.arrays.counts(0), "counts")
            for facet in 0..<page.facetCount {
                array(piece, page.arrays.counts(1 + facet), "counts of facet \(facet)")
            }
        }
        if !page.prefix.isEmpty { text(piece, page.prefix.startIndex, page.prefix.count, "prefix") }
        for index in 0..<page.count {
            let range = page.entryRange(index)
            field(piece, range.lowerBound, range.count, page.isLeaf ? entry(page, index) : child(page, index))
        }
        end(of: piece, used: page.used, trailerByteCount: trailerByteCount)
    }

    mutating func end(of piece: DumpedBytes, used: Int, trailerByteCount: Int) {
        let trailerStart = piece.count - trailerByteCount
        if piece.slice(used..<max(used, trailerStart)).contains(where: { $0 != 0 }) {
            misfit("bytes behind those in use are not zero")
        }
        if trailerByteCount > 0 { field(piece, trailerStart, trailerByteCount, "trailer") }
    }

    mutating func array<Element>(_ piece: DumpedBytes, _ array: FieldArray<Element>, _ words: String) {
        field(piece, array.offset, array.range.count, words)
    }

    private func entry(_ page: DumpedPage, _ index: Int) -> String {
        let facets = Self.facets(page.facets(index), of: page.facetCount)
        let value =
            switch page.value(index) {
            case .hot(let value, let end):
                Self.value(value) + (end.map { ", the last \($0.count) of them at \($0.lowerBound)" } ?? "")
            case .cold(let reference): Self.value(at: reference)
            }
        return "entry \(index): \(Self.words(page.key(index)))\(facets) = \(value)"
    }

    /// Nothing where the tree has none.
    static func facets(_ facets: UInt16, of count: Int) -> String {
        count > 0 ? ", facets \(String(facets, radix: 2))" : ""
    }

    static func value(_ bytes: some Collection<UInt8>) -> String {
        "\(count(bytes.count, "byte")) \(words(bytes))"
    }

    static func value(at reference: ColdReference) -> String {
        "\(count(Int(reference.count), "byte")) at \(reference.offset) of cold block \(reference.block), "
            + "hash \(reference.hash.hexadecimal)"
    }

    private func child(_ page: DumpedPage, _ index: Int) -> String {
        let key = index == 0 ? "the start" : Self.words(page.key(index))
        let counts = page.counts(index).map { String($0) }.joined(separator: " ")
        let (number, checksum) = page.child(index)
        return "child \(index): from \(key), page \(number), checksum \(checksum.hexadecimal), counts \(counts)"
    }

    /// Bytes that are no structure, sixteen a line; lines of zeros are left out.
    mutating func rows(_ piece: DumpedBytes, from start: Int) {
        for offset in stride(from: start, to: piece.count, by: 16) {
            let row = piece.slice(offset..<offset + 16)
            if row.contains(where: { $0 != 0 }) { field(piece, offset, row.count, Self.words(row)) }
        }
    }
}
