import Synchronization

@testable import StorageEngine

extension FuzzTarget {
    /// A page whose layout is accepted can be read at every place and changed, without a look outside it.
    static let page = FuzzTarget(
        name: "page", summary: "single pages: layout, every field of every entry, search, changes", byteLimit: 4097
    ) { bytes in
        var reader = ByteReader(bytes)
        let mode = Int(reader.byte())
        var page: [UInt8]
        if mode >= 250 {
            page = reader.bytes(NodeLayout.pageByteCount)
            page += [UInt8](repeating: 0, count: NodeLayout.pageByteCount - page.count)
        } else {
            page = PageTemplates.all[mode % PageTemplates.all.count]
            BytePatches.apply(&reader, to: &page)
        }
        if SymbolValidation.layoutFinding(in: page.span.bytes) == nil { return try readSymbols(of: page) }
        guard PageValidation.layoutFinding(in: page.span.bytes, pageCount: 1 << 20, coldByteCount: 1 << 40) == nil
        else {
            return
        }
        // Symbols lie where a page says: here before it. Otherwise memory of exactly a page, so that the sanitizer sees every look outside it.
        var before: [UInt8] = []
        if PageTemplates.kind(of: page) == NodeLayout.packedLeaf, page.load(PackedField.symbolsPage) > 0 {
            before = PageTemplates.symbols
            page.store(UInt32(1), in: PackedField.symbolsPage)
            page.store(UInt32(2), in: NodeField.pageNumber)
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: before.count + NodeLayout.pageByteCount, alignment: 4096)
        defer { memory.deallocate() }
        memory.copyBytes(from: before + page)
        let bytes = UnsafeRawBufferPointer(rebasing: memory[before.count...])
        let node = Node(bytes.baseAddress!)
        guard !node.isPermuted else { return try checkPlaces(of: node) }
        let keys = try readEntries(of: node)
        try search(node, keys)
        if node.isLeaf { try change(node, keys, checksum: CRC32C.checksum(bytes.bytes)) } else { copy(node) }
    }
}

/// Values of all codes, of the longest symbols, and of the page's own bytes.
private func readSymbols(of page: [UInt8]) throws {
    let encoder = SymbolEncoder(ofPage: page.span.bytes)
    for codes in [(0...255).map { UInt8($0) }, [UInt8](repeating: 0, count: 4000), page, []] {
        let value = SymbolTable.value(of: codes, with: page)
        try claim(value.count <= Limits.hotValueByteCount, "a value of \(value.count) bytes")
        var again: [UInt8] = []
        encoder.encode(value.span.bytes, to: &again)
        try claim(SymbolTable.value(of: again, with: page) == value, "a value is not what it was written from")
    }
}

private func readEntries(of node: Node) throws -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var valueByteCount = 0
    for index in 0..<node.count {
        let key = node.key(index)
        keys.append(key)
        try claim(key.count <= Limits.keyByteCount.upperBound, "a key of \(key.count) bytes")
        try claim(key.count == node.keyByteCount(index), "a key of another length than it says")
        _ = node.facets(index)
        if node.isLeaf {
            node.withCell(index) { word, cell in
                valueByteCount += cell.copyBytes().count
                if word == NodeLayout.coldValue { _ = ColdReference(cell: cell) }
            }
        } else {
            _ = (node.child(index), node.checksum(index))
            for column in 0...node.facetCount { _ = node.childCount(index, column: column) }
        }
    }
    if node.isLeaf, let sizes = node.sizesOfHotEntries {
        try claim(
            sizes.valueByteCount == valueByteCount, "values of \(valueByteCount) bytes are \(sizes.valueByteCount)")
    }
    return keys
}

private func search(_ node: Node, _ keys: [[UInt8]]) throws {
    let total = node.total(column: 0)
    for (index, key) in keys.enumerated() where node.isLeaf && index < 40 {
        let found = node.lowerBound(ofKeyInLeaf: key.span.bytes)
        try claim(found == (index, true), "key \(index) is found at \(found)")
    }
    for key in keys.prefix(40) + [[], [0], [255, 255, 255, 255, 255]] {
        for key in [key, key + [0], Array(key.dropLast())] {
            let bytes = key.span.bytes
            let found = node.isLeaf ? node.lowerBound(ofKeyInLeaf: bytes) : node.lowerBound(of: bytes)
            try claim((0...node.count).contains(found.index), "a key stands at \(found.index)")
            if !node.isLeaf { _ = node.childIndex(of: bytes) }
        }
    }
    for column in 0..<node.columnCount {
        _ = node.total(ofColumn: column, of: columns(of: node)).words
    }
    for column in 0...node.facetCount {
        try claim(node.total(before: node.count, column: column) == node.total(column: column), "totals differ")
        for position in [0, total / 2, max(0, total - 1)] {
            if node.isLeaf {
                if column > 0 { _ = node.index(ofFacet: column - 1, at: position) }
            } else {
                let (index, before) = node.child(at: position, column: column)
                try claim(index < node.count && before <= max(0, position), "child \(index) behind \(before) entries")
            }
        }
    }
}

/// The leaf as the root of a tree: puts and removals at its ends and among its entries.
private func change(_ node: Node, _ keys: [[UInt8]], checksum: UInt32) throws {
    let origin = PageOrigin(
        "", Mapping(copying: []), coldByteCount: 1 << 40,
        PageSeal(store: StoreIdentifier(bytes: [UInt8](repeating: 0, count: 16)), generation: 0))
    let heap = NodeHeap()
    heap.begin(1)
    defer { withExtendedLifetime(origin) {} }
    try withVerifiedPages { verified in
        // Page 0 is the page itself, verified already.
        let pages = PageSource(
            base: node.address, pageCount: 1, verified: verified, replaced: verified + 1, origin: origin)
        var editor = TreeEditor(
            pages: pages, heap: heap, declaration(of: node), root: TreeRoot(reference: 1, checksum: checksum))
        let some = [keys.first, keys[keys.count / 2], keys.last].compactMap { $0 }
        var expected = Set(keys)
        for key in [[0], [255]] + some.map({ $0 + [7] }) + some where Limits.keyByteCount.contains(key.count) {
            try put(key, into: &editor)
            expected.insert(key)
        }
        for key in some where Limits.keyByteCount.contains(key.count) {
            if try editor.remove(key.span.bytes) { expected.remove(key) }
        }
        let count = try TreeReader(pages: pages, root: editor.root, declaration(of: node)).count(column: 0)
        try claim(count == expected.count, "\(count) entries where \(expected.count) were put")
    }
}

/// As many columns as the page has: one of each kind, then more.
private func columns(of node: Node) -> TreeColumns {
    let kinds: [TreeColumn] = [
        .sum(amount: 0), .bounds(amount: 0), .highest(amount: 0), .lowest(amount: 0), .fingerprint, .hashSum,
        .sum(amount: 1),
        .bounds(amount: 1), .highest(amount: 1),
    ]
    return TreeColumns(Array(kinds.prefix(node.columnCount)))
}

private func declaration(of node: Node) -> TreeDeclaration {
    TreeDeclaration(TreeNumber(1), "page", facetCount: node.facetCount, columns: columns(of: node))
}

private func put(_ key: [UInt8], into editor: inout TreeEditor) throws {
    for byteCount in [0, 1000] {
        let value = [UInt8](repeating: 1, count: byteCount)
        try editor.put(key: key.span.bytes, word: UInt16(byteCount), cell: value.span.bytes, facets: 0)
    }
}

/// The branch as an edit copies it, grows it and splits it.
private func copy(_ node: Node) {
    let heap = NodeHeap()
    heap.begin(1)
    var branch = BranchNode(copying: node, columns(of: node), heap: heap)
    let separator = Array("a separator".utf8)
    if branch.canGrow(forSeparator: separator) { branch.grow(forSeparator: separator) }
    if branch.node.count >= 2 { _ = branch.split(at: branch.node.count / 2) }
    branch.remove(at: 0)
}

/// A page with places, and one patch after another beside it.
private func checkPlaces(of node: Node) throws {
    let page = node.permutation
    for index in 0..<page.count {
        let group = page.group(of: index)
        try claim(
            page.start(ofGroup: group) <= index && index < page.end(ofGroup: group), "entry \(index) in group \(group)")
        let place = page.place(index)
        let found = page.lead(ofGroup: group).withUnsafeBytes { page.entries(withLead: $0) }
        try claim(found.contains(index), "entry \(index) is not found by its lead")
        try claim(page.lowerBound(ofPlace: place, in: found) == index, "entry \(index) is not found by its place")
        try claim(Int(page.home(of: place).page) < 1 << 20, "entry \(index) leads behind the file")
        _ = page.withValue(ofGroup: group) { $0.copyBytes() }
    }
    try checkFacets(of: node)
    let heap = NodeHeap()
    heap.begin(1)
    var leaf = node
    var expected = node.count
    for step in 0..<24 {
        let index = step * 7919 % max(leaf.count, 1)
        let inPage = leaf.indexInPage(index)
        var merge = DenseMerge(leaf, heap: heap)
        if step % 3 == 2, leaf.count > 1 {
            merge.remove(index)
            expected -= 1
        } else {
            let base = inPage ?? leaf.base(ofOwn: leaf.ownCount(before: index))
            merge.put(0, byteCount: 12, at: DensePlace(index: index, isEqual: step % 3 == 1, base: base))
            if step % 3 == 0 { expected += 1 }
        }
        let key: [UInt8] = [1, 2, 3, UInt8(step)]
        let pieces = merge.compose(1) { _, body in
            LeafEntry.with(
                key: key.span.bytes, word: 2, cell: key.span.bytes.extracting(0..<2),
                facets: UInt16(1 << node.facetCount - 1), body)
        }
        leaf = pieces[0].node
        try claim(leaf.count == expected, "\(leaf.count) entries where \(expected) are left")
        // One in which nothing of the page is left is a leaf like any other.
        guard leaf.isPermuted else { return }
        for index in 0..<leaf.count {
            if let inPage = leaf.indexInPage(index) { try claim(inPage < node.count, "entry \(index) is \(inPage)") }
            leaf.withCell(index) { _, cell in _ = cell.copyBytes() }
        }
        try checkFacets(of: leaf)
    }
}

private func checkFacets(of leaf: Node) throws {
    for facet in 0..<leaf.facetCount {
        let members = (0..<leaf.count).filter { leaf.facets($0) >> UInt16(facet) & 1 == 1 }
        try claim(leaf.facetCount(below: leaf.count, facet: facet) == members.count, "facet \(facet) is miscounted")
        for position in [0, members.count / 2, members.count - 1] where members.indices.contains(position) {
            try claim(
                leaf.index(ofFacet: facet, at: position) == members[position], "entry \(position) of facet \(facet)")
        }
    }
}

private func withVerifiedPages(_ body: (UnsafeMutablePointer<Atomic<UInt64>>) throws -> Void) rethrows {
    let verified = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: 2)
    for word in 0..<2 { (verified + word).initialize(to: Atomic(.max)) }
    defer { verified.deinitialize(count: 2).deallocate() }
    try body(verified)
}
