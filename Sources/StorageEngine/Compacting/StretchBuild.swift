/// Lays out a stretch of a tree: what stays of a version, merged with what a load adds.
///
/// A class, because closures that are called for each entry would copy a value, and count what it refers to.
final class StretchBuild: Sendable {
    private let version: Version
    private let layout: TreeLayout
    /// Of the snapshot that is being written, for errors.
    private let path: String

    struct Product: Sendable {
        let leaves: LeafStretch
        let counts: Counts
    }

    struct Counts {
        /// Entries that the load has added; less those that came in the place of one that was there.
        var addedCount = 0
        /// Of values that were taken over from the cold region.
        var oldColdByteCount = 0
        /// Entries gone through.
        var doneCount = 0
    }

    /// - Parameter path: of the snapshot that is being written.
    init(_ layout: TreeLayout, of version: Version, path: String) {
        self.layout = layout
        self.version = version
        self.path = path
    }

    /// - Parameters:
    ///   - runs: what a load adds to the tree.
    ///   - isAnew: whether nothing of the version stays.
    func run(_ stretch: TreeStretch, adding runs: [SortedRun], isAnew: Bool) throws(StorageError) -> Product {
        defer { withExtendedLifetime(version) {} }
        var writer = StretchWriter(layout, expectedByteCount: stretch.expectedByteCount)
        var added = try SortedEntries(runs, of: layout.declaration, stretch.keys)
        var counts = Counts()
        if !isAnew {
            var readAhead = version.generation.file.readAhead
            var cold = ColdReader(version.generation.file, readsAll: true)
            let reader = version.source(of: layout.declaration.number).reader
            try reader.forEachLeaf(in: stretch.keys, &readAhead) { (leaf, entries, parent) throws(StorageError) in
                try append(leaf, entries, parent, &added, to: &writer, &counts, &cold)
                return true
            }
        }
        while !added.isAtEnd { try append(&added, to: &writer, &counts) }
        return Product(leaves: try writer.finish(), counts: counts)
    }

    /// The bytes that values taken over from the cold region can have: those of a sound file do not overlap in their blocks.
    static func oldColdByteLimit(_ file: SnapshotFile) -> Int { file.cold.byteCount * 256 }

    static func valuesTooLarge(_ file: SnapshotFile) -> StorageError {
        .damaged(
            Damage(
                file: file.path, byteOffset: file.cold.fileOffset,
                finding: "values of the cold region are larger than their blocks"))
    }

    // MARK: What stays

    /// What stays of a leaf's entries, and what a load adds up to the last of them.
    private func append(
        _ leaf: Node, _ entries: Range<Int>, _ parent: TreeReader.ParentPlace?, _ added: inout SortedEntries,
        to writer: inout StretchWriter, _ counts: inout Counts, _ cold: inout ColdReader
    ) throws(StorageError) {
        counts.doneCount += entries.count
        let isUntouched = added.isAtEnd ? true : try !added.precedesOrIsIn(leaf, pages)
        if isUntouched, entries.count == leaf.count, try writer.copy(leaf, parent, pages) { return }
        let origins = layout.isHome ? leaf.origins : nil
        for index in entries {
            counts.oldColdByteCount += leaf.coldByteCount(index)
            guard counts.oldColdByteCount <= Self.oldColdByteLimit(version.generation.file) else {
                throw damage(leaf, "its values are larger than their blocks")
            }
            let place = TreeReader.Place(leaf: leaf, index: index)
            if !added.isAtEnd, try append(&added, before: place, to: &writer, &counts) {
                counts.addedCount -= 1
            } else {
                try append(place, origins?[index], to: &writer, &cold)
            }
        }
    }

    private func append(
        _ place: TreeReader.Place, _ origin: HomePlaces.Origin?, to writer: inout StretchWriter,
        _ cold: inout ColdReader
    ) throws(StorageError) {
        let (leaf, index) = (place.leaf, place.index)
        let isInOrder =
            if leaf.isPermuted, let inPage = leaf.indexInPage(index),
                let newPlace = layout.home?.place(of: inPage, in: leaf.permutation)
            {
                try append(leaf, index, inPage, newPlace, to: &writer)
            } else {
                try appendWithKey(place, origin, to: &writer, &cold)
            }
        guard isInOrder else { throw damage(leaf, "key \(index) does not sort after the one before it") }
    }

    /// `false` for a key that does not sort after the one before it.
    private func appendWithKey(
        _ place: TreeReader.Place, _ origin: HomePlaces.Origin?, to writer: inout StretchWriter,
        _ cold: inout ColdReader
    ) throws(StorageError) -> Bool {
        let (leaf, index) = (place.leaf, place.index)
        let facets = leaf.facets(index)
        return try pages.withKey(of: leaf, index) { (key) throws(StorageError) in
            var place = layout.place(ofKey: key)
            if place == nil { place = try oldPlace(of: key) }
            return try leaf.withCell(index) { (word, cell) throws(StorageError) in
                try cold.value(word: word, cell: cell) { (value) throws(StorageError) in
                    try writer.append(key: key, value: value, facets: facets, origin: origin, place: place)
                }
            }
        }
    }

    /// The same for an entry of a page with places whose key in the home tree is taken over: it gets the new place of that, and nobody reads
    /// the key.
    private func append(
        _ leaf: Node, _ index: Int, _ inPage: Int, _ place: UInt32, to writer: inout StretchWriter
    ) throws(StorageError) -> Bool {
        let page = leaf.permutation
        let group = page.group(of: inPage)
        let facets = leaf.facets(index)
        if inPage > page.start(ofGroup: group), index > 0, leaf.indexInPage(index - 1) == inPage - 1,
            writer.appendToGroup(facets: facets, place: place, pages, leaf, index)
        {
            return true
        }
        return try page.withLead(ofGroup: group) { (lead) throws(StorageError) in
            guard layout.isLead(lead) else {
                throw damage(leaf, "the lead of key \(index) is not what comes before a key of its home")
            }
            return try page.withValue(ofGroup: group) { (value) throws(StorageError) in
                try writer.append(
                    lead: lead, value: value, facets: facets, place: place, .entry(pages, leaf, index))
            }
        }
    }

    /// The new place of what a key ends with, where the old snapshot has that on a page: of an entry that had no place yet.
    private func oldPlace(of key: RawSpan) throws(StorageError) -> UInt32? {
        guard layout.home != nil, let home = layout.declaration.home?.tree, let count = layout.leadByteCount(of: key),
            let old = version.generation.file.superblock.trees.first(where: { $0.declaration.number == home })
        else { return nil }
        let reader = TreeReader(pages: pages, root: old.root, old.declaration)
        guard let place = try reader.find(key.extracting(count...)), let page = pages.number(of: place.leaf) else {
            return nil
        }
        return layout.home?.place(ofPage: page, place.index)
    }

    // MARK: What a load adds

    /// What a load adds up to a place of the version. `true` when its key is among that: the place is passed over.
    private func append(
        _ added: inout SortedEntries, before place: TreeReader.Place, to writer: inout StretchWriter,
        _ counts: inout Counts
    ) throws(StorageError) -> Bool {
        try pages.withKey(of: place.leaf, place.index) { (key) throws(StorageError) in
            while !added.isAtEnd {
                let order = try added.withEntry { (next, _, _) throws(StorageError) in
                    next.order(relativeTo: key)
                }
                guard order <= 0 else { return false }
                try append(&added, to: &writer, &counts)
                if order == 0 { return true }
            }
            return false
        }
    }

    private func append(
        _ added: inout SortedEntries, to writer: inout StretchWriter, _ counts: inout Counts
    ) throws(StorageError) {
        try added.withEntry { (key, facets, value) throws(StorageError) in
            let place = layout.place(ofKey: key)
            guard try writer.append(key: key, value: value, facets: facets, place: place) else {
                throw .damaged(
                    Damage(
                        file: path, byteOffset: 0,
                        finding:
                            "an added key of tree \(layout.declaration.name) does not sort after the one before it"
                    ))
            }
        }
        counts.addedCount += 1
        counts.doneCount += 1
        try added.advance()
    }

    private var pages: PageSource { version.generation.file.pages }

    /// What a new snapshot must not take over.
    private func damage(_ leaf: Node, _ finding: String) -> StorageError {
        let page = leaf.isInMemory ? 0 : Int(leaf.pageNumber)
        return .damaged(
            Damage(
                file: version.generation.file.path, byteOffset: page * NodeLayout.pageByteCount, page: page,
                finding: finding))
    }
}

extension Node {
    /// Of each entry of a leaf with keys, where it lies in the page that the leaf is or amends; `nil` for one that is in memory. Both have their
    /// entries in the same order.
    fileprivate var origins: [HomePlaces.Origin?]? {
        guard !isDense, isPatch || !isInMemory else { return nil }
        let page = basePageNode
        var next = 0
        return (0..<count).map { index in
            let slot = slot(index)
            guard !isPatch || slot & NodeLayout.inBase != 0 else { return nil }
            while next < page.count, page.slot(next) & 0x7FFF != slot & 0x7FFF { next += 1 }
            defer { next += 1 }
            return next < page.count ? .page(page.pageNumber, count: page.count, index: next) : nil
        }
    }

    /// The length of a value that lies in the cold region; 0 for any other.
    fileprivate func coldByteCount(_ index: Int) -> Int {
        guard !isHot(index) else { return 0 }
        return withCell(index) { word, cell in
            word == NodeLayout.coldValue ? Int(ColdReference(cell: cell).count) : 0
        }
    }
}

extension SortedEntries {
    /// Whether the next entry sorts before the last of a leaf, or with it.
    fileprivate func precedesOrIsIn(_ leaf: Node, _ pages: PageSource) throws(StorageError) -> Bool {
        try pages.withKey(of: leaf, leaf.count - 1) { (last) throws(StorageError) in
            try withEntry { (key, _, _) throws(StorageError) in key.order(relativeTo: last) <= 0 }
        }
    }
}
