/// An entry of a damaged store's snapshot, copied out.
public struct SalvagedEntry: Sendable {
    public let key: [UInt8]
    public let facets: FacetSet
    /// `nil` when the value lies in a damaged block of the cold region, or the symbols it is written in are lost, which `damage` tells.
    public let value: [UInt8]?
    public let damage: Damage?
}

/// The entries of one tree that can be proved, in key order. Holds one page and one cold block at a time.
public struct SalvagedEntries: Sendable {
    private let snapshot: SalvagedPages?
    private let leaves: [SalvagedTree.Leaf]
    private var cold: SalvagedColdReader?
    private var homes: SalvagedHomes?
    private var symbols: SalvagedSymbols?
    private var nextLeaf = 0
    private var page: SalvagedPage?
    private var index = 0
    private var lastKey: [UInt8]?

    init(_ snapshot: SalvagedPages?, _ leaves: [SalvagedTree.Leaf]) {
        self.snapshot = snapshot
        self.leaves = leaves
        cold = snapshot.map { SalvagedColdReader($0.cold) }
        homes = snapshot.map {
            SalvagedHomes($0.file, $0.seal, pageCount: $0.pageCount, coldByteCount: $0.coldByteCount)
        }
        symbols = snapshot.map { SalvagedSymbols($0.file, $0.seal, pageCount: $0.pageCount) }
    }

    /// `nil` behind the last entry. Throws when a page that could be read can no longer be.
    public mutating func next() throws(StorageError) -> SalvagedEntry? {
        while true {
            if let page, index < page.count {
                defer { index += 1 }
                guard let key = try homes?.key(index, of: page) else { continue }
                // Two pages that both prove to be of the tree and overlap are of no use to anybody.
                if let lastKey, !lastKey.lexicographicallyPrecedes(key) { continue }
                guard !key.isEmpty else { continue }
                lastKey = key
                return try entry(key, page)
            }
            guard let snapshot, nextLeaf < leaves.count else { return nil }
            page = try snapshot.page(leaves[nextLeaf])
            nextLeaf += 1
            index = 0
        }
    }

    private mutating func entry(_ key: [UInt8], _ page: SalvagedPage) throws(StorageError) -> SalvagedEntry {
        let facets = page.facets(index)
        switch page.cell(index) {
        case .value(let value): return SalvagedEntry(key: key, facets: facets, value: value, damage: nil)
        case .coded(let entry):
            let value = try entry.value(symbols?.page(entry.symbolsPage, of: page.tree))
            return SalvagedEntry(
                key: key, facets: facets, value: value, damage: value == nil ? lostSymbols(entry.symbolsPage) : nil)
        case .cold(let reference):
            let (value, damage) = try cold?.value(reference) ?? (nil, nil)
            return SalvagedEntry(key: key, facets: facets, value: value, damage: damage)
        }
    }

    private func lostSymbols(_ page: Int) -> Damage? {
        snapshot.map {
            Damage(
                file: $0.file.path, byteOffset: page * NodeLayout.pageByteCount, page: page,
                finding: "the symbols that values are written in are lost, and so is their copy")
        }
    }
}

/// The pages and cold blocks of a snapshot file that a salvage has looked through.
struct SalvagedPages: Sendable {
    let file: SalvageFile
    let seal: PageSeal
    let pageCount: Int
    let coldByteCount: UInt64
    let cold: SalvagedCold

    /// A page once more. It was proved, and nobody writes to a snapshot file.
    func page(_ leaf: SalvagedTree.Leaf) throws(StorageError) -> SalvagedPage {
        guard let bytes = try file.page(Int(leaf.page)), CRC32C.checksum(bytes) == leaf.checksum,
            let page = SalvagedPage(bytes, pageCount: pageCount, coldByteCount: coldByteCount), page.isLeaf
        else {
            throw .damaged(
                Damage(
                    file: file.path, byteOffset: Int(leaf.page) * NodeLayout.pageByteCount, page: Int(leaf.page),
                    finding: "the page could be read a moment ago and no longer can"))
        }
        return page
    }
}
