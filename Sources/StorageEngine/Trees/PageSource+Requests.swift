/// Asks for pages before they are read. A mapping reads what is touched, a page at a time, and whoever touches it waits: for fifty rows that lie
/// all over a library that is not cached, fifty times. Asked for together, a disk reads them side by side.
///
/// What was read once since the file was mapped is not asked for, so that a library in use pays a look at a bit for each; nor is what the system
/// seems to have.
///
/// Safe because a page number is checked before it gets into a node that was verified.
extension PageSource {
    /// Pages between two that are wanted are read with them when they are as few: a request takes a disk longer than they do.
    private static let gapPageCount = 4
    /// Systems read no more for one request than they would read ahead by themselves: 128 KiB, where nobody has raised that.
    private static let requestPageCount = 32

    /// The page behind a child reference that nobody has read since the file was mapped; `nil` for others, and for nodes in memory.
    @inline(__always)
    func untouchedPage(_ reference: UInt64) -> Int? {
        guard reference & 1 == 1, !isTouched(Int(reference >> 1)) else { return nil }
        return Int(reference >> 1)
    }

    /// Asks for pages that are about to be read, in any order.
    func ask(for pages: [Int]) {
        let pages = pages.sorted()
        guard let first = pages.first, first != pages.last else { return noteLook(isMissing: false) }
        let isMissing = mapping.isWaitLikely(at: pages.lazy.map { $0 * NodeLayout.pageByteCount })
        noteLook(isMissing: isMissing)
        guard isMissing else { return }
        var asked = first..<first + 1
        for page in pages where page >= asked.upperBound {
            if page - asked.upperBound <= Self.gapPageCount, page - asked.lowerBound < Self.requestPageCount {
                asked = asked.lowerBound..<page + 1
            } else {
                request(asked)
                asked = page..<page + 1
            }
        }
        request(asked)
    }

    private func request(_ pages: Range<Int>) {
        mapping.prefetch(pages.lowerBound * NodeLayout.pageByteCount..<pages.upperBound * NodeLayout.pageByteCount)
    }

    /// Asks for the children of a branch that are about to be visited.
    func ask(forChildren children: some Sequence<Int>, of branch: Node) {
        var wanted: [Int] = []
        for child in children { if let page = untouchedPage(branch.child(child)) { wanted.append(page) } }
        ask(for: wanted)
    }

    /// Asks for the pages on several ways from roots to leaves, a level of all of them at a time. What cannot be read ends its way: whoever goes it
    /// is told.
    ///
    /// - Parameters:
    ///   - starts: the node that each way begins at.
    ///   - child: the child of a branch that a way leads to.
    func ask(forWaysFrom starts: [Node], _ child: (_ way: Int, _ branch: Node) -> Int) {
        var ends = starts.enumerated().map { (way: $0.offset, node: $0.element) }
        while !ends.isEmpty {
            var wanted: [Int] = []
            var branches: [(way: Int, branch: Node, child: Int)] = []
            for (way, start) in ends {
                var node = start
                while node.level > 0 {
                    let index = child(way, node)
                    if let page = untouchedPage(node.child(index)) {
                        wanted.append(page)
                        if node.level > 1 { branches.append((way, node, index)) }
                        break
                    }
                    guard let next = try? self.child(of: node, at: index) else { break }
                    node = next
                }
            }
            ask(for: wanted)
            ends = branches.compactMap { way, branch, index in
                (try? self.child(of: branch, at: index)).map { (way, $0) }
            }
        }
    }

    /// Asks for the leaf of the home tree that each of some entries has its key on.
    func ask(forHomesOf entries: some Sequence<Int>, in leaf: Node) {
        let page = leaf.permutation
        var wanted: [Int] = []
        var last = 0
        for entry in entries {
            guard let home = homePage(of: entry, in: leaf, page), home != last, !isTouched(home) else { continue }
            wanted.append(home)
            last = home
        }
        ask(for: wanted)
    }

    /// Whether an entry's key lies on a page that nobody has read since the file was mapped.
    func isHomeUntouched(of entry: Int, in leaf: Node) -> Bool {
        homePage(of: entry, in: leaf, leaf.permutation).map { !isTouched($0) } ?? false
    }

    private func homePage(of entry: Int, in leaf: Node, _ page: PermutationPage) -> Int? {
        leaf.indexInPage(entry).map { Int(page.home(of: page.place($0)).page) }
    }
}
