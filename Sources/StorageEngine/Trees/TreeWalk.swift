/// Walks a whole tree, pages and memory nodes alike, and checks everything that is always true of it:
/// keys ascend; a child's keys lie between its separators; levels descend by one; counts, all and per facet, and columns equal
/// what lies below; no page is reached twice; slot heads equal their keys' heads; every page matches its checksum, says its own
/// number and tree, and is zero behind the bytes in use, up to its trailer; what a page with places says of its home is so.
///
/// Goes on behind damage, so that one bad page is one finding.
struct TreeWalk {
    let pages: PageSource
    /// Of the leaves, which follow each other in the file.
    private var readAhead: ReadAhead
    let declaration: TreeDeclaration
    /// Of the tree's home in the same file.
    private let homeRoot: TreeRoot?
    /// `nil` where its branches cannot be read, which is a finding of that tree.
    private lazy var homeLeaves: HomeLeaves? = homeRoot.flatMap { try? HomeLeaves(of: $0, in: pages) }
    private let symbols: SymbolPages?
    /// What is wrong with the page of the tree's symbols, and how many entries cannot be read for it.
    private var symbolsDamage: (damage: Damage, lostEntryCount: Int?)?
    let seal: PageSeal
    /// Where the trailers of pages begin, within each.
    private let trailerStart: Int
    private(set) var findings: [TreeFinding] = []
    /// Pages reached, each once.
    private(set) var pageNumbers: Set<UInt32> = []
    private(set) var coldReferences: [ColdReference] = []
    private(set) var entryCount = 0
    /// Of the pages reached, what a superblock states of them.
    private(set) var pageTotals = Totals()

    struct Totals {
        var height = 0
        var leafPages = 0
        var branchPages = 0
        var keyByteCount = 0
        var valueByteCount = 0
        var usedByteCount = 0
    }

    init(
        pages: PageSource, readAhead: ReadAhead, declaration: TreeDeclaration, homeRoot: TreeRoot? = nil,
        symbols: SymbolPages? = nil, seal: PageSeal, trailerByteCount: Int = 0
    ) {
        trailerStart = NodeLayout.pageByteCount - trailerByteCount
        self.pages = pages
        self.readAhead = readAhead
        self.declaration = declaration
        self.homeRoot = homeRoot
        self.symbols = symbols
        self.seal = seal
    }

    mutating func walk(_ root: TreeRoot) {
        if let symbols { checkSymbols(symbols) }
        if !root.isEmpty, let node = node(root.reference, root.checksum, nil, low: nil, high: nil, entries: nil) {
            pageTotals.height = node.level + 1
            _ = walk(node, low: nil, high: nil)
        }
        // One page that is lost is one finding, however many leaves cannot be read for it.
        if let symbolsDamage { add(symbolsDamage.damage, nil, nil, symbolsDamage.lostEntryCount) }
    }

    // MARK: Symbols

    private mutating func checkSymbols(_ symbols: SymbolPages) {
        let finding = symbolsFinding(on: symbols.page)
        if let finding { symbolsDamage = (finding, 0) }
        if let other = symbolsFinding(on: symbols.copy) {
            add(other, nil, nil, 0)
        } else if finding == nil, !holdTheSame(symbols),
            case .damaged(let damage) = damage(
                symbols.copy, "the copy of the symbols is not the same as page \(symbols.page)")
        {
            add(damage, nil, nil, 0)
        }
    }

    private mutating func symbolsFinding(on page: UInt32) -> Damage? {
        do throws(StorageError) {
            try reach(page)
            try pages.proveSymbols(page, of: declaration.number)
            guard pages.withPage(page, { $0.firstNonZero(in: SymbolField.end..<trailerStart) }) == nil else {
                throw damage(page, "bytes behind the \(SymbolField.end) in use are not zero")
            }
            return nil
        } catch {
            guard case .damaged(let damage) = error else { return nil }
            return damage
        }
    }

    private func holdTheSame(_ symbols: SymbolPages) -> Bool {
        let content = NodeLayout.headerByteCount..<SymbolField.end
        return pages.withPage(symbols.page) { page in
            pages.withPage(symbols.copy) { $0.extracting(content).order(relativeTo: page.extracting(content)) == 0 }
        }
    }

    private mutating func reach(_ page: UInt32) throws(StorageError) {
        guard pageNumbers.insert(page).inserted else { throw damage(page, "the page is reached twice") }
    }

    // MARK: Nodes

    private mutating func node(
        _ reference: UInt64, _ checksum: UInt32, _ level: Int?, low: [UInt8]?, high: [UInt8]?, entries: Int?
    ) -> Node? {
        let page = reference & 1 == 1 ? UInt32(truncatingIfNeeded: reference >> 1) : nil
        do throws(StorageError) {
            if let page {
                guard Int(page) < pages.pageCount else { throw damage(page, "there is no such page") }
                try reach(page)
                if level == 0 { readAhead.reach(Int(page) * NodeLayout.pageByteCount) }
            }
            let node = try pages.node(reference, checksum: checksum)
            // A place may have led there first, and that proves a page by its seal alone.
            if let page, let finding = pages.withPage(page, { PageValidation.checksumFinding(in: $0, checksum) }) {
                throw damage(page, finding)
            }
            guard node.shape == NodeShape(declaration), level == nil || node.level == level else {
                throw damage(page ?? 0, "the page belongs to another tree or level")
            }
            if let page { check(node, page, low, high) }
            return node
        } catch {
            guard case .damaged(let damage) = error else { return nil }
            if let symbols, damage.page == Int(symbols.page) {
                let before = symbolsDamage.map(\.lostEntryCount) ?? 0
                symbolsDamage = (damage, before.flatMap { before in entries.map { before + $0 } })
            } else {
                add(damage, low, high, entries)
            }
            return nil
        }
    }

    private func damage(_ page: UInt32, _ finding: String) -> StorageError {
        .damaged(
            Damage(
                file: pages.path, byteOffset: Int(page) * NodeLayout.pageByteCount, page: Int(page),
                finding: finding))
    }

    private mutating func add(_ damage: Damage, _ low: [UInt8]?, _ high: [UInt8]?, _ entries: Int?) {
        findings.append(
            TreeFinding(damage: damage, tree: declaration.number, lostEntryCount: entries, firstKey: low, endKey: high))
    }

    private mutating func complain(_ node: Node, _ finding: String, _ low: [UInt8]?, _ high: [UInt8]?) {
        // Not the number the page says it has, which may be what is wrong with it.
        let page = pages.number(of: node) ?? 0
        guard case .damaged(let damage) = damage(page, finding) else { return }
        add(damage, low, high, 0)
    }

    /// What a page with the right checksum says of itself. Wrong is only what was written so.
    private mutating func check(_ node: Node, _ page: UInt32, _ low: [UInt8]?, _ high: [UInt8]?) {
        if node.isLeaf { pageTotals.leafPages += 1 } else { pageTotals.branchPages += 1 }
        pageTotals.usedByteCount += node.used
        if node.pageNumber != page { complain(node, "the page says that it is page \(node.pageNumber)", low, high) }
        if node.baseWord != UInt64(declaration.number.rawValue) {
            complain(node, "the page says that it is of tree \(node.baseWord)", low, high)
        }
        let finding: String? = pages.withPage(page) { bytes in
            guard !seal.isOn(bytes) else { return nil }
            let found = bytes.load(NodeField.seal)
            return "the page's seal is \(found.hexadecimal), of this generation it would be "
                + seal.checksum(of: bytes).hexadecimal
        }
        if let finding { complain(node, finding, low, high) }
        if node.used > trailerStart {
            complain(node, "the \(node.used) bytes in use leave no room for the trailer", low, high)
        } else if pages.withPage(page, { $0.firstNonZero(in: node.used..<trailerStart) }) != nil {
            complain(node, "bytes behind the \(node.used) in use are not zero", low, high)
        }
    }

    /// What is in and below a node, made anew from its entries.
    private mutating func walk(_ node: Node, low: [UInt8]?, high: [UInt8]?) -> PageTotals {
        if node.isDense { checkDenseKeys(of: node, low, high) } else { checkKeys(of: node, low, high) }
        guard node.level > 0 else {
            checkEntries(of: node, low, high)
            return PageTotals(of: node, declaration)
        }
        var totals = PageTotals(declaration)
        for index in 0..<node.count {
            let childLow = index == 0 ? low : node.key(index)
            let childHigh = index + 1 < node.count ? node.key(index + 1) : high
            let expected = PageTotals(ofChild: index, of: node, declaration)
            guard
                let child = self.node(
                    node.child(index), node.checksum(index), node.level - 1, low: childLow, high: childHigh,
                    entries: Int(expected.counts[0]))
            else {
                totals.add(expected)
                continue
            }
            if let difference = walk(child, low: childLow, high: childHigh).difference(from: expected) {
                complain(node, "child \(index) \(difference)", childLow, childHigh)
            }
            totals.add(expected)
        }
        return totals
    }

    /// Compares neighbours where they lie. When all ascend, the first and the last key decide whether they are in the range.
    private mutating func checkKeys(of node: Node, _ low: [UInt8]?, _ high: [UInt8]?) {
        let start = node.isLeaf ? 0 : 1
        let keys = start..<max(start, node.count)
        for index in keys {
            if index > keys.lowerBound, !node.keyAscends(at: index) {
                complain(node, "key \(index) does not sort after the one before it", low, high)
            }
            if !node.headIsOwn(index) { complain(node, "the head of key \(index) is not its own", low, high) }
        }
        guard let first = keys.first, let last = keys.last else { return }
        if let low, node.order(ofKey: first, relativeTo: low) < 0 {
            complain(node, "key \(first) sorts before the page's range", low, high)
        }
        if let high, node.order(ofKey: last, relativeTo: high) >= 0 {
            complain(node, "key \(last) sorts behind the page's range", low, high)
        }
    }

    /// Of a dense leaf: keys are put together one by one.
    private mutating func checkDenseKeys(of leaf: Node, _ low: [UInt8]?, _ high: [UInt8]?) {
        if leaf.isPermuted { checkHome(of: leaf, low, high) }
        if leaf.isPacked { checkPacked(leaf, low, high) }
        var lost: [(damage: Damage, entryCount: Int)] = []
        // The last key that could be read, in the same memory for each.
        var previous: [UInt8] = []
        for index in 0..<leaf.count {
            do throws(StorageError) {
                try pages.withKey(of: leaf, index) { (key) throws(StorageError) in
                    if leaf.isPermuted, let inPage = leaf.indexInPage(index),
                        declaration.home?.lead.byteCount(in: key) != leaf.permutation.leadByteCount(inPage)
                    {
                        complain(leaf, "the lead of key \(index) is not what comes before a key of its home", low, high)
                    }
                    if previous.isEmpty {
                        if let low, low.withBytes({ key.order(relativeTo: $0) }) < 0 {
                            complain(leaf, "key \(index) sorts before the page's range", low, high)
                        }
                    } else if previous.withBytes({ $0.order(relativeTo: key) }) >= 0 {
                        complain(leaf, "key \(index) does not sort after the one before it", low, high)
                    }
                    previous.removeAll(keepingCapacity: true)
                    previous.append(contentsOf: key)
                }
            } catch {
                // The page of the home tree is a finding of that tree. What is lost here are the entries that lead there.
                guard case .damaged(let damage) = error else { continue }
                if let place = lost.firstIndex(where: { $0.damage == damage }) {
                    lost[place].entryCount += 1
                } else {
                    lost.append((damage, 1))
                }
            }
        }
        if let high, !previous.isEmpty, !previous.lexicographicallyPrecedes(high) {
            complain(leaf, "its last key sorts behind the page's range", low, high)
        }
        for (damage, entryCount) in lost { add(damage, low, high, entryCount) }
    }

    private mutating func checkPacked(_ leaf: Node, _ low: [UInt8]?, _ high: [UInt8]?) {
        if !declaration.mayBePacked { complain(leaf, "leaves of the tree are not packed", low, high) }
        let page = leaf.packed
        guard !leaf.isInMemory, page.symbolsPage > 0 else { return }
        if page.symbolsPage != symbols.map({ Int($0.page) }) {
            complain(leaf, "its symbols are those of page \(page.symbolsPage), not the tree's", low, high)
        }
    }

    private mutating func checkHome(of leaf: Node, _ low: [UInt8]?, _ high: [UInt8]?) {
        if declaration.home.map({ UInt64($0.tree.rawValue) }) != UInt64(leaf.permutation.homeTree) {
            complain(leaf, "its places are those of tree \(leaf.permutation.homeTree)", low, high)
        }
        guard let homeRoot else { return }
        guard homeRoot == leaf.permutation.homeRoot else {
            return complain(leaf, "its places are of another root than the home has", low, high)
        }
        if let finding = homeLeaves?.finding(for: leaf.permutation) { complain(leaf, finding, low, high) }
    }

    private mutating func checkEntries(of leaf: Node, _ low: [UInt8]?, _ high: [UInt8]?) {
        entryCount += leaf.count
        for index in 0..<leaf.count {
            if Int(leaf.facets(index)) >> declaration.facetCount != 0 {
                complain(leaf, "entry \(index) has facets the tree does not count", low, high)
            }
            pageTotals.keyByteCount += countedByteCount(ofKey: index, of: leaf)
            leaf.withCell(index) { word, cell in
                if word & 0x8000 != 0, declaration.columns.amountCount > 0 {
                    complain(leaf, "entry \(index) lies elsewhere, and the tree has amounts", low, high)
                }
                if word == NodeLayout.coldValue {
                    let reference = ColdReference(cell: cell)
                    coldReferences.append(reference)
                    pageTotals.valueByteCount += Int(reference.count)
                } else {
                    pageTotals.valueByteCount += cell.byteCount
                }
            }
        }
    }

    /// What the catalogue counts of a key.
    private func countedByteCount(ofKey index: Int, of leaf: Node) -> Int {
        if leaf.isPermuted, let inPage = leaf.indexInPage(index) { return leaf.permutation.leadByteCount(inPage) }
        guard declaration.home != nil, !leaf.isPacked else { return leaf.keyByteCount(index) }
        let key = leaf.withOwnKey(index) { declaration.countedByteCount(of: $0) }
        return key ?? leaf.withKey(index) { declaration.countedByteCount(of: $0) }
    }
}

/// The leaves of a home tree as its branches name them, which pages with places rest on. Reads none of them.
private struct HomeLeaves {
    private var firstPage: UInt32 = 0
    private var lastPage: UInt32 = 0
    /// The most entries of a leaf.
    private var greatestCount = 0
    /// Whether each leaf lies behind the one before it. Where one does not, nobody looks on: so none is visited twice.
    private var isInOrder = true

    init(of root: TreeRoot, in pages: PageSource) throws(StorageError) {
        let node = try pages.node(root.reference, checksum: root.checksum)
        if node.isLeaf {
            add(root.reference, entryCount: node.count)
        } else {
            try visit(node, in: pages)
        }
    }

    private mutating func visit(_ branch: Node, in pages: PageSource) throws(StorageError) {
        for index in 0..<branch.count where isInOrder {
            if branch.level == 1 {
                add(branch.child(index), entryCount: branch.childCount(index, column: 0))
            } else {
                try visit(pages.child(of: branch, at: index), in: pages)
            }
        }
    }

    private mutating func add(_ leaf: UInt64, entryCount: Int) {
        let page = UInt32(truncatingIfNeeded: leaf >> 1)
        if firstPage == 0 { firstPage = page }
        isInOrder = page > lastPage
        lastPage = page
        greatestCount = max(greatestCount, entryCount)
    }

    /// What a page with places says of the leaves and is not so.
    func finding(for page: PermutationPage) -> String? {
        if page.homeFirstPage != firstPage {
            return "the first leaf of its home is page \(firstPage), the page says \(page.homeFirstPage)"
        }
        if !isInOrder { return "the leaves of its home do not lie in the order of their keys" }
        guard greatestCount > page.radix else { return nil }
        return "a leaf of its home has \(greatestCount) entries, more than the radix \(page.radix)"
    }
}

/// Damage within a tree, and what is lost by it.
public struct TreeFinding: Sendable, Equatable {
    public let damage: Damage
    public let tree: TreeNumber
    /// Entries that cannot be read; `nil` when unknown.
    public let lostEntryCount: Int?
    /// Keys from here on are affected; `nil` for the tree's start.
    public let firstKey: [UInt8]?
    /// Keys before this one are affected; `nil` for the tree's end.
    public let endKey: [UInt8]?
}
