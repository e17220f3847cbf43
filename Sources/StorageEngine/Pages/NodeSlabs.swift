/// The memory of a heap's nodes: slabs of up to a megabyte, in which an allocation takes the next bytes, or those of one of its size
/// that was freed.
///
/// A heap lives for a generation, and its slabs go with it, so what a compaction has superseded is the kernel's again at once.
/// The C library kept up to three times as much as was in use, in an arena for each thread that had been the writer.
///
/// Safe because a piece is in use or in one list of free ones, and each piece lies in one slab.
@safe struct NodeSlabs {
    private var slabs: [AnonymousMemory] = []
    /// Of one of the slabs, what nobody has had yet.
    private var rest: UnsafeMutableRawBufferPointer
    /// Of slabs and large pieces.
    private var grantedByteCount = 0
    /// Of free pieces, which are not handed out again.
    private var givenBackByteCount = 0
    /// For each size, the first free piece, which holds the address of the next; 0 for none. Empty when nothing is given out any more.
    private var free: [UInt]
    /// Pieces of more than `largestByteCount`, which lie in no slab, by their addresses.
    private var large: [UInt: AnonymousMemory] = [:]

    /// Of the first slab; each is twice as large as the one before.
    private static let leastByteCount = 64 << 10
    private static let mostByteCount = 1 << 20
    /// Sizes are multiples of it.
    private static let grain = 64
    #if ASAN
        // Every piece is an allocation of its own, which the sanitizer watches.
        private static let largestByteCount = 0
    #else
        private static let largestByteCount = 32 << 10
    #endif

    init() {
        unsafe rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        free = Array(repeating: 0, count: Self.largestByteCount / Self.grain + 1)
    }

    /// What the kernel has given, but for what nobody has had yet.
    var byteCount: Int { unsafe grantedByteCount - rest.count - givenBackByteCount }

    /// Whether nothing is given out any more.
    var isSealed: Bool { free.isEmpty }

    /// Memory of at least so many bytes, on a boundary of 16.
    mutating func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        precondition(!free.isEmpty, "a superseded heap makes no nodes")
        guard byteCount <= Self.largestByteCount else {
            let memory = AnonymousMemory(byteCount: byteCount)
            grantedByteCount += byteCount
            unsafe large[UInt(bitPattern: memory.base)] = memory
            return unsafe memory.base
        }
        let size = Self.size(byteCount)
        if let piece = unsafe UnsafeMutableRawPointer(bitPattern: free[size]) {
            free[size] = unsafe piece.load(as: UInt.self)
            return unsafe piece
        }
        if unsafe rest.count < size * Self.grain { addSlab() }
        defer { unsafe rest = UnsafeMutableRawBufferPointer(rebasing: rest[(size * Self.grain)...]) }
        return unsafe rest.baseAddress!
    }

    private mutating func addSlab() {
        let slab = AnonymousMemory(byteCount: min(Self.leastByteCount << min(slabs.count, 8), Self.mostByteCount))
        slabs.append(slab)
        grantedByteCount += slab.byteCount
        unsafe rest = UnsafeMutableRawBufferPointer(start: slab.base, count: slab.byteCount)
    }

    /// Safe only for a piece of these slabs, of which so many bytes were asked, and when nothing reads it any more.
    @unsafe mutating func deallocate(_ piece: UnsafeMutableRawPointer, byteCount: Int) {
        guard byteCount <= Self.largestByteCount else {
            guard let memory = large.removeValue(forKey: UInt(bitPattern: piece)) else { return }
            grantedByteCount -= memory.byteCount
            unsafe memory.release()
            return
        }
        guard !free.isEmpty else { return }
        let size = Self.size(byteCount)
        unsafe piece.storeBytes(of: free[size], as: UInt.self)
        free[size] = UInt(bitPattern: piece)
    }

    /// Gives back the memory on which no piece in use lies. Nothing is allocated afterwards. O(n log n) of pieces in use, and slabs.
    ///
    /// - Parameter pieces: all that are in use.
    ///
    /// Safe only when no other is read any more.
    @unsafe mutating func keep(only pieces: [Range<UInt>]) {
        free = []
        unsafe rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        let pieces = pieces.sorted { $0.lowerBound < $1.lowerBound }
        var index = 0
        var kept: [AnonymousMemory] = []
        for slab in slabs.sorted(by: { unsafe $0.base < $1.base }) {
            let start = unsafe UInt(bitPattern: slab.base)
            // Large pieces lie between slabs.
            while index < pieces.count, pieces[index].lowerBound < start { index += 1 }
            let first = index
            var end = start
            while index < pieces.count, pieces[index].lowerBound < start + UInt(slab.byteCount) {
                unsafe slab.discard(Int(end - start)..<Int(pieces[index].lowerBound - start))
                end = pieces[index].upperBound
                index += 1
            }
            if index == first {
                grantedByteCount -= slab.byteCount
                unsafe slab.release()
            } else {
                unsafe slab.discard(Int(end - start)..<slab.byteCount)
                kept.append(slab)
            }
        }
        slabs = kept
        givenBackByteCount = 0
    }

    /// Safe only when nothing reads any piece any more.
    @unsafe mutating func release() {
        for slab in slabs { unsafe slab.release() }
        for memory in large.values { unsafe memory.release() }
        (slabs, large, free, grantedByteCount, givenBackByteCount) = ([], [:], [], 0, 0)
        unsafe rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    // MARK: Giving back

    /// Shorter stretches of free memory stay as they are, so that not every page that is given back costs a call to the system.
    private static let leastGivenBackByteCount: UInt = 16 << 10

    /// Gives the kernel back the whole pages on which free pieces alone lie, in stretches of 16 KiB and more. The pieces there are not
    /// handed out again, which loses nothing but addresses. O(n log n) of free pieces.
    ///
    /// - Returns: how many bytes.
    mutating func giveBackFree() -> Int {
        let pieces = freePieces.sorted { $0.addresses.lowerBound < $1.addresses.lowerBound }
        var given: [Range<UInt>] = []
        for size in free.indices { free[size] = 0 }
        var first = 0
        while first < pieces.count {
            var (end, next) = (pieces[first].addresses.upperBound, first + 1)
            while next < pieces.count, pieces[next].addresses.lowerBound == end {
                end = pieces[next].addresses.upperBound
                next += 1
            }
            let pages = AnonymousMemory.pages(within: pieces[first].addresses.lowerBound..<end)
            let isLong = UInt(pages.count) >= Self.leastGivenBackByteCount
            if isLong { given.append(pages) }
            for piece in pieces[first..<next] where !(isLong && pages.overlaps(piece.addresses)) {
                let memory = unsafe UnsafeMutableRawPointer(bitPattern: piece.addresses.lowerBound)!
                unsafe memory.storeBytes(of: free[piece.size], as: UInt.self)
                free[piece.size] = piece.addresses.lowerBound
            }
            first = next
        }
        // Safe because what lies there is in no list of free pieces any more, and in no use.
        for pages in given { unsafe AnonymousMemory.discard(pages) }
        let byteCount = given.reduce(0) { $0 + $1.count }
        givenBackByteCount += byteCount
        return byteCount
    }

    /// Every free piece, with its size in grains.
    private var freePieces: [(addresses: Range<UInt>, size: Int)] {
        var pieces: [(addresses: Range<UInt>, size: Int)] = []
        for size in free.indices {
            var next = free[size]
            while let piece = unsafe UnsafeMutableRawPointer(bitPattern: next) {
                pieces.append((next..<next + UInt(size * Self.grain), size))
                next = unsafe piece.load(as: UInt.self)
            }
        }
        return pieces
    }

    private static func size(_ byteCount: Int) -> Int { (byteCount + grain - 1) / grain }
}
