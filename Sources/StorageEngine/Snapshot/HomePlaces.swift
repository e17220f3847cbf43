/// Where the entries of a home tree lie in the snapshot that is being written, for the trees whose keys end with its keys.
///
/// An entry that is taken over from a page of the old snapshot is found by where it lay there: the keys of entries with places need not
/// be read. All others, those in memory and those that a load adds, are found by a hash of their keys with a random seed: 12 bytes each,
/// half as many again for room.
struct HomePlaces {
    private let tree: TreeNumber
    private var rootPage: UInt32 = 0
    private var rootChecksum: UInt32 = 0
    private var firstPage: UInt32 = 0
    private var lastPage: UInt32 = 0
    /// The most entries of a leaf.
    private var radix = 0

    /// Of each page of the old snapshot, where in `taken` the entries are that were taken over from it.
    private var pages: [Taken] = []
    /// Of each entry of those pages, where it is now.
    private var taken: [Spot] = []

    private struct Taken {
        var start: UInt32 = 0
        /// 0 for a page that nothing was taken over from.
        var count: UInt32 = 0
    }

    private let seed = UInt64.random(in: .min ... .max)
    private var hashes: [UInt64] = []
    private var spots: [Spot] = []
    private var hashCount = 0

    /// A leaf, counted from the first one's page on, and an index in it: 22 bits and 10. A place as soon as the radix is known.
    struct Spot {
        fileprivate let word: UInt32

        /// `nil` where the leaf lies too far from the first.
        init?(_ leaf: UInt32, _ index: Int) {
            guard leaf < 1 << 22 - 1, index < 1 << 10 else { return nil }
            word = leaf << 10 | UInt32(index)
        }

        fileprivate init(word: UInt32) { self.word = word }

        fileprivate static let none = Spot(word: .max)
        fileprivate var isNone: Bool { word == .max }
    }

    init(_ tree: TreeNumber) { self.tree = tree }

    // MARK: While the home tree is written

    /// Where an entry comes from.
    enum Origin {
        /// A page of the old snapshot, which has so many entries.
        case page(UInt32, count: Int, index: Int)
        /// Memory, or a load. The hash of its key.
        case key(UInt64)
    }

    func origin(ofKey key: RawSpan) -> Origin { .key(EntryHash.hash(key, seed: seed)) }

    /// A finished leaf, with where each of its entries comes from.
    mutating func add(leafOn page: UInt32, _ origins: some Collection<Origin>) {
        if firstPage == 0 { firstPage = page }
        lastPage = page
        radix = max(radix, origins.count)
        for (index, origin) in origins.enumerated() { add(origin, Spot(page - firstPage, index) ?? .none) }
    }

    private mutating func add(_ origin: Origin, _ spot: Spot) {
        switch origin {
        case .page(let page, let count, let old):
            let page = Int(page)
            if page >= pages.count {
                pages += repeatElement(Taken(), count: max(page + 1 - pages.count, pages.count / 2))
            }
            if pages[page].count == 0 {
                pages[page] = Taken(start: UInt32(taken.count), count: UInt32(count))
                taken += repeatElement(.none, count: count)
            }
            taken[Int(pages[page].start) + old] = spot
        case .key(let hash): insert(hash, spot)
        }
    }

    mutating func end(_ record: Superblock.Tree) {
        (rootPage, rootChecksum) = (record.rootPage, record.rootChecksum)
    }

    private mutating func insert(_ hash: UInt64, _ spot: Spot) {
        if hashCount * 3 >= hashes.count * 2 { grow() }
        let slot = slot(of: hash, in: hashes, spots)
        // Two keys of one hash are not told apart: entries of neither are given places.
        let isNew = hashes[slot] != hash || spots[slot].word == Self.free
        hashes[slot] = hash
        spots[slot] = isNew ? spot : .none
        if isNew { hashCount += 1 }
    }

    private static let free = UInt32.max - 1

    private func slot(of hash: UInt64, in hashes: [UInt64], _ spots: [Spot]) -> Int {
        let mask = hashes.count - 1
        var slot = Int(truncatingIfNeeded: hash >> 7) & mask
        while spots[slot].word != Self.free, hashes[slot] != hash { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let capacity = max(1024, hashes.count * 2)
        var larger = [UInt64](repeating: 0, count: capacity)
        var largerSpots = [Spot](repeating: Spot(word: Self.free), count: capacity)
        for index in hashes.indices where spots[index].word != Self.free {
            let slot = slot(of: hashes[index], in: larger, largerSpots)
            larger[slot] = hashes[index]
            largerSpots[slot] = spots[index]
        }
        (hashes, spots) = (larger, largerSpots)
    }

    // MARK: Behind it

    /// `nil` where no places can be given: there is no entry, or there are too many.
    var root: HomeTree? {
        guard rootPage != 0, placeCount <= 1 << 32 else { return nil }
        return HomeTree(
            tree: tree, rootPage: rootPage, rootChecksum: rootChecksum, firstPage: firstPage, radix: radix,
            placeBitCount: max(1, Int.bitWidth - (placeCount - 1).leadingZeroBitCount))
    }

    private var placeCount: Int { Int(lastPage - firstPage + 1) * radix }

    /// The place of an entry that a page of the old snapshot holds; `nil` for one that was not taken over from there.
    func place(ofPage page: UInt32, _ index: Int) -> UInt32? {
        guard Int(page) < pages.count, index < pages[Int(page)].count else { return nil }
        return place(taken[Int(pages[Int(page)].start) + index])
    }

    /// The place of a key that came from memory or a load; `nil` where there is none.
    func place(ofKey key: RawSpan) -> UInt32? {
        guard !hashes.isEmpty else { return nil }
        let hash = EntryHash.hash(key, seed: seed)
        let slot = slot(of: hash, in: hashes, spots)
        return spots[slot].word == Self.free ? nil : place(spots[slot])
    }

    private func place(_ spot: Spot) -> UInt32? {
        spot.isNone ? nil : spot.word >> 10 * UInt32(radix) + spot.word & 0x3FF
    }
}
