/// Where everything lies in a sound snapshot file, read by other means than the engine's, and which entries hang on what.
struct SnapshotMap: Sendable {
    struct EntryName: Hashable, Sendable {
        let tree: UInt32
        let key: [UInt8]
    }

    struct Page: Sendable {
        let tree: UInt32
        let children: [Int]
        let parent: Int?
    }

    /// A stretch of one meaning.
    struct Section: Sendable {
        let name: String
        let range: Range<Int>
    }

    static let pageByteCount = 4096

    let byteCount: Int
    let generation: Int
    let commitNumber: Int
    let logSequence: UInt64
    /// Of the last frame before that segment.
    private let logChecksum: Int
    /// Of the superblock.
    private let identity: Int
    let pageCount: Int
    /// Pages of a superblock and its catalogue, at the beginning and at the end.
    let headPageCount: Int
    let cold: Range<Int>
    /// The pages that belong to a tree.
    private(set) var pages: [Int: Page] = [:]
    /// Byte ranges of the cold blocks in the file.
    private(set) var blocks: [Range<Int>] = []
    private(set) var sections: [Section] = []
    private var entriesOfPage: [Int: Set<EntryName>] = [:]
    private var entriesOfBlock: [Int: Set<EntryName>] = [:]

    init(_ bytes: [UInt8]) {
        byteCount = bytes.count
        generation = bytes.number(at: 32, 8)
        commitNumber = bytes.number(at: 40, 8)
        pageCount = bytes.number(at: 56, 4)
        logSequence = UInt64(bytes.number(at: 88, 8))
        logChecksum = bytes.number(at: 96, 4)
        identity = bytes.number(at: 4092, 4)
        let coldStart = bytes.number(at: 64, 8)
        cold = coldStart..<coldStart + bytes.number(at: 72, 8)
        let treeCount = bytes.number(at: 60, 4)
        headPageCount = 1 + (treeCount + Self.treesPerPage - 1) / Self.treesPerPage
        for start in [0, byteCount - Self.pageByteCount] { addHead(start, treeCount) }
        for index in 0..<treeCount {
            let record = Self.pageByteCount + Self.start(ofTree: index)
            let root = bytes.number(at: record + 8, 4)
            if root > 0 { _ = add(root, tree: UInt32(bytes.number(at: record, 4)), parent: nil, bytes) }
        }
        let coded = (0..<treeCount).map { Self.pageByteCount + Self.start(ofTree: $0) }
            .filter { bytes.number(at: $0 + 132, 4) > 0 }
        for (index, record) in coded.enumerated() {
            addSymbols(
                bytes.number(at: record + 132, 4), copy: pageCount - coded.count + index,
                tree: UInt32(bytes.number(at: record, 4)))
        }
        for page in headPageCount..<max(headPageCount, pageCount) where pages[page] == nil {
            add("kept page", page * Self.pageByteCount, Self.pageByteCount)
        }
        var block = cold.lowerBound
        while block < cold.upperBound {
            let stored = bytes.number(at: block + 4, 4)
            blocks.append(block..<block + 16 + stored)
            add("cold block header", block, 16)
            add("cold block bytes", block + 16, stored)
            block += 16 + stored
        }
        let end = byteCount - headPageCount * Self.pageByteCount
        add("padding behind the cold region", cold.upperBound, end - cold.upperBound)
    }

    private mutating func add(_ name: String, _ start: Int, _ count: Int) {
        if count > 0 { sections.append(Section(name: name, range: start..<start + count)) }
    }

    private static let treeByteCount = 160
    private static let treesPerPage = 25

    /// Within the catalogue.
    private static func start(ofTree index: Int) -> Int {
        index / treesPerPage * pageByteCount + index % treesPerPage * treeByteCount
    }

    private mutating func addHead(_ start: Int, _ treeCount: Int) {
        let name = start == 0 ? "" : "spare "
        add("\(name)superblock fields", start, 104)
        add("\(name)superblock reserved", start + 104, 3988)
        add("\(name)superblock checksum", start + 4092, 4)
        let byteCount = (headPageCount - 1) * Self.pageByteCount
        let catalogue = start == 0 ? Self.pageByteCount : start - byteCount
        var end = 0
        for index in 0..<treeCount {
            let tree = Self.start(ofTree: index)
            add("\(name)catalogue free", catalogue + end, tree - end)
            add("\(name)tree", catalogue + tree, Self.treeByteCount)
            end = tree + Self.treeByteCount
        }
        add("\(name)catalogue free", catalogue + end, byteCount - end)
    }

    /// Gives the entries below the page.
    private mutating func add(_ page: Int, tree: UInt32, parent: Int?, _ bytes: [UInt8]) -> Set<EntryName> {
        let start = page * Self.pageByteCount
        if bytes[start] == 4 { return addPlaces(page, tree: tree, parent: parent, bytes) }
        if bytes[start] == 6 { return addPacked(page, tree: tree, parent: parent, bytes) }
        let isLeaf = bytes[start] == 1
        let count = bytes.number(at: start + 2, 2)
        let facetCount = Int(bytes[start + 1])
        let columnCount = Int(bytes[start + 11])
        let prefixCount = bytes.number(at: start + 6, 2)
        let prefixStart = start + bytes.number(at: start + 8, 2)
        let used = bytes.number(at: start + 12, 4)
        add("page header", start, 32)
        add("slots", start + 32, count * 8)
        let arrays = start + 32 + count * 8
        var entries: Set<EntryName> = []
        var children: [Int] = []
        if isLeaf {
            add("facets", arrays, facetCount > 0 ? count * 2 : 0)
            for index in 0..<count {
                let offset = start + bytes.number(at: start + 32 + index * 8, 2)
                let suffixCount = bytes.number(at: start + 34 + index * 8, 2)
                let name = EntryName(tree: tree, key: Self.key(index, ofLeaf: page, bytes))
                entries.insert(name)
                if bytes.number(at: offset, 2) == 0x8001 {
                    let block = cold.lowerBound + bytes.number(at: offset + 2 + suffixCount, 8)
                    entriesOfBlock[block, default: []].insert(name)
                }
            }
        } else {
            add("children", arrays, count * 8)
            let behind = arrays + count * (8 + 16 * columnCount)
            add("columns", arrays + count * 8, count * 16 * columnCount)
            add("child checksums", behind, count * 4)
            add("counts", behind + count * 4, count * 4 * (1 + facetCount))
            children = (0..<count).map { bytes.number(at: arrays + $0 * 8, 8) >> 1 }
            for child in children { entries.formUnion(add(child, tree: tree, parent: page, bytes)) }
        }
        add("prefix", prefixStart, prefixCount)
        let entryStart = prefixCount > 0 ? prefixStart + prefixCount : (sections.last?.range.upperBound ?? start)
        add(isLeaf ? "entries" : "separators", entryStart, start + used - entryStart)
        add("gap", start + used, Self.pageByteCount - used)
        pages[page] = Page(tree: tree, children: children, parent: parent)
        entriesOfPage[page, default: []].formUnion(entries)
        return entries
    }

    /// Of a leaf with keys.
    private static func key(_ index: Int, ofLeaf page: Int, _ bytes: [UInt8]) -> [UInt8] {
        let start = page * pageByteCount
        let prefix = start + bytes.number(at: start + 8, 2)
        let offset = start + bytes.number(at: start + 32 + index * 8, 2) + 2
        return Array(
            bytes[prefix..<prefix + bytes.number(at: start + 6, 2)]
                + bytes[offset..<offset + bytes.number(at: start + 34 + index * 8, 2)])
    }

    /// A leaf of entries of one length.
    private mutating func addPacked(_ page: Int, tree: UInt32, parent: Int?, _ bytes: [UInt8]) -> Set<EntryName> {
        let start = page * Self.pageByteCount
        let (count, used) = (bytes.number(at: start + 2, 2), bytes.number(at: start + 12, 4))
        let (keyCount, valueCount) = (bytes.number(at: start + 32, 2), bytes.number(at: start + 34, 2))
        let (ownCount, ownKeyCount) = (bytes.number(at: start + 36, 2), bytes.number(at: start + 38, 2))
        let facets = start + 48
        let ends = facets + Int(bytes[start + 1]) * ((count + 63) / 64) * 8
        let hasEnds = valueCount == 0xFFFF
        let shared = hasEnds ? ends + count * 2 : ends
        let places = shared + keyCount + (hasEnds ? 0 : valueCount)
        add("page header", start, 48)
        add("facets", facets, ends - facets)
        add("ends", ends, shared - ends)
        add("shared", shared, places - shared)
        add("places of own bytes", places, ownCount)
        add("packed entries", places + ownCount, start + used - places - ownCount)
        add("gap", start + used, Self.pageByteCount - used)
        pages[page] = Page(tree: tree, children: [], parent: parent)
        var entries: Set<EntryName> = []
        for index in 0..<count {
            var key = Array(bytes[shared..<shared + keyCount])
            for own in 0..<ownKeyCount {
                key[Int(bytes[places + own])] = bytes[places + ownCount + index * ownCount + own]
            }
            entries.insert(EntryName(tree: tree, key: key))
        }
        entriesOfPage[page, default: []].formUnion(entries)
        let symbols = bytes.number(at: start + 40, 4)
        if symbols > 0 { entriesOfPage[symbols, default: []].formUnion(entries) }
        return entries
    }

    /// What the values of a tree are written in, and the copy of it.
    private mutating func addSymbols(_ page: Int, copy: Int, tree: UInt32) {
        for (name, page) in [("symbols", page), ("copy of symbols", copy)] {
            add("\(name)", page * Self.pageByteCount, 2344)
            add("gap", page * Self.pageByteCount + 2344, Self.pageByteCount - 2344)
            pages[page] = Page(tree: tree, children: [], parent: nil)
        }
    }

    /// A leaf whose entries hang on pages of another tree, too.
    private mutating func addPlaces(_ page: Int, tree: UInt32, parent: Int?, _ bytes: [UInt8]) -> Set<EntryName> {
        let start = page * Self.pageByteCount
        let count = bytes.number(at: start + 2, 2)
        let facets = start + 56
        let (firstPage, radix) = (bytes.number(at: start + 44, 4), bytes.number(at: start + 48, 2))
        let (groupCount, bitCount) = (bytes.number(at: start + 50, 2), bytes.number(at: start + 52, 4))
        let starts = facets + Int(bytes[start + 1]) * ((count + 63) / 64) * 8
        let (offsets, places) = (starts + groupCount * 2, starts + groupCount * 4)
        let (prefixCount, used) = (bytes.number(at: start + 6, 2), bytes.number(at: start + 12, 4))
        let prefix = start + bytes.number(at: start + 8, 2)
        add("page header", start, 56)
        add("facets", facets, starts - facets)
        add("groups", starts, places - starts)
        add("places", places, (count * bitCount + 7) / 8)
        let entryStart = places + (count * bitCount + 7) / 8
        add("leads", entryStart, start + used - entryStart)
        add("gap", start + used, Self.pageByteCount - used)
        pages[page] = Page(tree: tree, children: [], parent: parent)
        var entries: Set<EntryName> = []
        var group = -1
        for index in 0..<count {
            if group + 1 < groupCount, bytes.number(at: starts + (group + 1) * 2, 2) == index { group += 1 }
            let offset = start + bytes.number(at: offsets + group * 2, 2)
            let lead = bytes[prefix..<prefix + prefixCount] + bytes[offset + 2..<offset + 2 + Int(bytes[offset])]
            let place = (0..<bitCount).reduce(0) { place, bit in
                let position = index * bitCount + bit
                return place | Int(bytes[places + position / 8] >> UInt8(position % 8) & 1) << bit
            }
            let home = firstPage + place / radix
            let name = EntryName(tree: tree, key: Array(lead + Self.key(place % radix, ofLeaf: home, bytes)))
            entries.insert(name)
            entriesOfPage[home, default: []].insert(name)
        }
        entriesOfPage[page] = entries
        return entries
    }

    /// What the first segment behind the snapshot continues.
    func chainValue(of segment: LogReading) -> Int { segment.generation == generation ? identity : logChecksum }

    func entries(below page: Int) -> Set<EntryName> { entriesOfPage[page] ?? [] }

    func entries(inBlock block: Range<Int>) -> Set<EntryName> { entriesOfBlock[block.lowerBound] ?? [] }

    /// The page itself and those on the way to it.
    func path(to page: Int) -> [Int] {
        var path = [page]
        while let parent = pages[path[path.count - 1]]?.parent { path.append(parent) }
        return path
    }
}
