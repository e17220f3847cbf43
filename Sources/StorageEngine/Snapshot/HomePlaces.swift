/// Where the entries of a home tree lie in the snapshot that is being written, for the trees whose keys end with its keys.
///
/// An entry that is taken over from a page of the old snapshot is found by where it lay there: the keys of entries with places need not
/// be read. All others, those in memory and those that a load adds, are found by a hash of their keys with a random seed, in a table of some 16
/// bytes for each.
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
    private var slots = Slots(count: 0)
    private var hashCount = 0

    /// A table with linear probing: for each slot twelve bytes in a row, so that a look-up reads one or two lines of the cache.
    private struct Slots {
        let count: Int
        /// Of each slot the two halves of the hash, and the word of the spot.
        private var words: [UInt32]

        init(count: Int) {
            self.count = count
            words = [UInt32](repeating: HomePlaces.free, count: 3 * count)
        }

        func hash(at slot: Int) -> UInt64 { UInt64(words[3 * slot]) << 32 | UInt64(words[3 * slot + 1]) }

        func isFree(_ slot: Int) -> Bool { words[3 * slot + 2] == HomePlaces.free }

        func spot(at slot: Int) -> Spot { Spot(word: words[3 * slot + 2]) }

        mutating func set(_ slot: Int, _ hash: UInt64, _ spot: Spot) {
            words[3 * slot] = UInt32(truncatingIfNeeded: hash >> 32)
            words[3 * slot + 1] = UInt32(truncatingIfNeeded: hash)
            words[3 * slot + 2] = spot.word
        }

        /// Where a hash is, or would be. Precondition: a slot is free.
        func slot(of hash: UInt64) -> Int {
            var slot = Int(hash.multipliedFullWidth(by: UInt64(count)).high)
            while !isFree(slot), self.hash(at: slot) != hash { slot = slot + 1 == count ? 0 : slot + 1 }
            return slot
        }
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

    /// Makes room for about so many entries that do not come from pages, before there are any.
    mutating func reserve(_ keyCount: Int) {
        precondition(hashCount == 0, "there are no entries yet")
        slots = Slots(count: Self.slotCount(for: keyCount + keyCount / 16))
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
        if Self.slotCount(for: hashCount + 1) > slots.count { grow() }
        let slot = slots.slot(of: hash)
        // Two keys of one hash are not told apart: entries of neither are given places.
        let isNew = slots.isFree(slot)
        slots.set(slot, hash, isNew ? spot : .none)
        if isNew { hashCount += 1 }
    }

    private static let free = UInt32.max - 1

    /// A quarter of them stays free.
    private static func slotCount(for keyCount: Int) -> Int { keyCount + keyCount / 3 + 1 }

    private mutating func grow() {
        var larger = Slots(count: Self.slotCount(for: max(768, hashCount + hashCount / 2)))
        for slot in 0..<slots.count where !slots.isFree(slot) {
            let hash = slots.hash(at: slot)
            larger.set(larger.slot(of: hash), hash, slots.spot(at: slot))
        }
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
        guard slots.count > 0 else { return nil }
        let slot = slots.slot(of: EntryHash.hash(key, seed: seed))
        return slots.isFree(slot) ? nil : place(slots.spot(at: slot))
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
