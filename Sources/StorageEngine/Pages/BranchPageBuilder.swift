/// A finished page, as its parent holds it.
struct ChildPage {
    /// Sorts after everything in the pages before and not after anything in this one.
    let separator: [UInt8]
    let page: UInt32
    let checksum: UInt32
    let totals: PageTotals
}

/// Fills branch pages of one level from finished children in key order.
struct BranchPageBuilder {
    let tree: TreeDeclaration
    let level: Int
    private let childLimit: Int
    private var shape: NodeShape { NodeShape(tree) }
    private(set) var children: [ChildPage] = []
    private var prefixLength = 0
    private var separatorByteCount = 0

    init(_ tree: TreeDeclaration, level: Int, childLimit: Int) {
        self.tree = tree
        self.level = level
        self.childLimit = childLimit
    }

    mutating func append(_ child: ChildPage) -> Bool {
        // Child 0 stores no separator of its own; the prefix is that of the others.
        var shared = 0
        var bytes = separatorByteCount
        if !children.isEmpty {
            shared = child.separator.count
            if children.count > 1 {
                shared = min(prefixLength, children[1].separator.commonPrefixLength(with: child.separator))
            }
            bytes += child.separator.count
        }
        let stored = max(children.count, 0)
        let size =
            NodeLayout.headerByteCount
            + NodeLayout.branchArraysByteCount(capacity: children.count + 1, shape)
            + shared + bytes - stored * shared
        guard size <= NodeLayout.pageByteCount, children.count < childLimit else { return false }
        prefixLength = shared
        separatorByteCount = bytes
        children.append(child)
        return true
    }

    /// Writes the page and forgets the children. Gives what is below and the bytes in use.
    mutating func finish(into page: inout PageWriter) -> (totals: PageTotals, used: Int) {
        let count = children.count
        page.begin(
            kind: NodeLayout.branch, tree, count: count, level: level,
            arraysByteCount: NodeLayout.branchArraysByteCount(capacity: count, shape))
        var totals = PageTotals(tree)
        let arrays = NodeArrays(capacity: count, columnCount: shape.columnCount)
        if count > 1 {
            children[1].separator.withBytes { page.setPrefix($0.extracting(0..<prefixLength)) }
        }
        for (index, child) in children.enumerated() {
            child.separator.withBytes { separator in
                let suffix = separator.extracting(droppingFirst: index == 0 ? separator.byteCount : prefixLength)
                page.setSlot(arrays.slots[index], suffix: suffix)
                page.append(suffix)
            }
            page.store(UInt64(child.page) << 1 | 1, in: arrays.children[index])
            page.store(child.checksum, in: arrays.checksums[index])
            for column in 0...shape.facetCount {
                page.store(child.totals.counts[column], in: arrays.counts(column)[index])
            }
            for column in 0..<shape.columnCount {
                page.store(child.totals.columns[column].bits, in: arrays.column(column)[index])
            }
            totals.add(child.totals)
        }
        let used = page.finish()
        children.removeAll(keepingCapacity: true)
        prefixLength = 0
        separatorByteCount = 0
        return (totals, used)
    }
}
