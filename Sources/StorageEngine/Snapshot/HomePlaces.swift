/// Where the entries of a home tree lie in the snapshot that is being written, for the trees whose keys end with its keys.
///
/// An entry that is taken over from a page of the old snapshot is found by where it lay there: the keys of entries with places need not
/// be read. All others, those in memory and those that a load adds, are found by a hash of their keys with a random seed: 16 bytes each,
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
    private var slots: [Slot] = []
    private var hashCount = 0

    /// A hash beside its spot, so that a look-up reads one line of the cache.
    private struct Slot {
        var hash: UInt64 = 0
        var spot = Spot(word: HomePlaces.free)

        var isFree: Bool { spot.word == HomePlaces.free }
    }

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
        if hashCount * 3 >= slots.count * 2 { grow() }
        let slot = Self.slot(of: hash, in: slots)
        // Two keys of one hash are not told apart: entries of neither are given places.
        let isNew = slots[slot].isFree
        slots[slot] = Slot(hash: hash, spot: isNew ? spot : .none)
        if isNew { hashCount += 1 }
    }

    private static let free = UInt32.max - 1

    /// Where a hash is, or would be.
    private static func slot(of hash: UInt64, in slots: [Slot]) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash >> 7) & mask
        while !slots[slot].isFree, slots[slot].hash != hash { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        var larger = [Slot](repeating: Slot(), count: max(1024, slots.count * 2))
        for slot in slots where !slot.isFree { larger[Self.slot(of: slot.hash, in: larger)] = slot }
        slots = larger
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
        guard !slots.isEmpty else { return nil }
        let slot = slots[Self.slot(of: EntryHash.hash(key, seed: seed), in: slots)]
        return slot.isFree ? nil : place(slot.spot)
    }

    /// The place that an entry of a page with places of the old snapshot has now; `nil` when what it leads to was not taken over from there.
    func place(of index: Int, in page: PermutationPage) -> UInt32? {
        guard page.homeTree == tree.rawValue else { return nil }
        let (homePage, homeIndex) = page.home(of: page.place(index))
        return place(ofPage: homePage, homeIndex)
    }

    /// The places that all entries of such a page have now; `nil` when one of them was not taken over from there, or two that
    /// ascended do so no more, as in a file whose home was not written in the order of its keys.
    func places(of page: PermutationPage) -> [UInt32]? {
        var places: [UInt32] = []
        places.reserveCapacity(page.count)
        var (previous, oldPrevious): (UInt32, UInt32) = (0, .max)
        for index in 0..<page.count {
            let old = page.place(index)
            guard let place = place(of: index, in: page), old <= oldPrevious || place > previous else {
                return nil
            }
            (previous, oldPrevious) = (place, old)
            places.append(place)
        }
        return places
    }

    private func place(_ spot: Spot) -> UInt32? {
        spot.isNone ? nil : spot.word >> 10 * UInt32(radix) + spot.word & 0x3FF
    }
}
