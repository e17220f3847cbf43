/// The memory nodes of one generation, and those that newer ones have replaced.
///
/// Every allocation remembers the commit it was born in; in a run of commits that only will be seen together, the first of them. A
/// node is changed in place only by the commits it was born in; a later one makes another and retires the old. A retired node is
/// needed by a version v exactly when born <= v < retired, so it is freed as soon as no live version lies in that interval,
/// however old other readers are.
///
/// Used by the writer alone, and by threads that change trees for it (`share`), until it makes its commits in another heap:
/// from then on this one only shrinks, as versions go, by `reclaimSuperseded`. All that is left is freed with the heap.
///
/// Always true: births ascend along the list of allocations; every retired or pinned node is one of them, once.
///
/// Safe because an allocation is freed only when the commits that could reach it are gone or being undone, and because
/// every memory node and large value comes from `allocate`, so it has its header in front of it.
@safe final class NodeHeap {
    /// In the base word of every memory node, with the address of the page that it amends. No page has a number so large there, and
    /// no address of a process has this bit.
    static let memoryMark: UInt64 = 1 << 63

    struct Retired {
        let memory: NodeMemory
        let born: UInt64
        let retired: UInt64
    }

    /// Leaves of more entries and branches of more children are split; 4 at least.
    let entryLimit: Int

    /// The commit that is being made, or the first of its run; allocations are born in it.
    private(set) var birth: UInt64 = 0
    private(set) var newest: NodeMemory?
    private(set) var oldest: NodeMemory?
    /// In order of retirement.
    private(set) var retired: [Retired] = []
    /// Retired nodes that a live version still needs, under that version.
    private(set) var pinned: [UInt64: [Retired]] = [:]
    /// Of `reclaim`, so that debug builds check all of a large heap now and then only.
    private var reclaimCount = 0

    private var slabs = NodeSlabs()
    /// Held by whoever makes or frees a node while several threads do.
    private let lock = Lock(())
    private var isShared = false
    /// Of nodes that were freed since a superseded heap last gave memory back.
    private var freedByteCount = 0

    init(entryLimit: Int = .max) {
        precondition(entryLimit >= 4, "a node holds four entries at least")
        self.entryLimit = entryLimit
    }

    deinit { unsafe slabs.release() }

    /// Of all commits so far, with what was freed again.
    private(set) var allocations = NodeAllocations()
    /// What there is now.
    private(set) var held = NodeAllocations()

    /// Of what there is now, those that the newest commit does not need.
    private var replaced = NodeAllocations()

    /// What there is now and what was freed, by what it is for.
    var memory: NodeMemoryUse {
        guard isShared else { return memoryAlone }
        return lock.withLock { _ in memoryAlone }
    }

    private var memoryAlone: NodeMemoryUse {
        let whole = byteCount(of: held)
        return NodeMemoryUse(
            current: whole - byteCount(of: replaced), replaced: byteCount(of: replaced),
            // A superseded heap gives back what is free, but for what was freed since it last did.
            free: slabs.isSealed ? freedByteCount : max(0, slabs.byteCount - whole))
    }

    private func byteCount(of allocations: NodeAllocations) -> Int {
        allocations.byteCount + allocations.count * NodeMemory.headerByteCount
    }

    /// Gives the kernel back what was freed.
    ///
    /// - Returns: how many bytes.
    func giveBackFree() -> Int {
        guard isShared else { return slabs.giveBackFree() }
        return lock.withLock { _ in slabs.giveBackFree() }
    }

    func begin(_ commit: UInt64) { birth = commit }

    /// Whether the commit being made may change the node in place.
    @inline(__always)
    func isOwn(_ node: Node) -> Bool {
        memory(of: node) != nil
    }

    /// To change a node in place; `nil` when the commit being made has not made it.
    @inline(__always)
    func memory(of node: Node) -> NodeMemory? {
        guard node.isInMemory else { return nil }
        let memory = unsafe NodeMemory(at: node.address)
        return memory.born == birth ? memory : nil
    }

    /// From here on several threads may make and retire nodes, each for another tree.
    func share() {
        assert(!isShared, "it is shared once at a time")
        isShared = true
    }

    /// Nobody else uses it any more.
    func endSharing() { isShared = false }

    func allocate(byteCount: Int) -> NodeMemory {
        guard isShared else { return allocateAlone(byteCount: byteCount) }
        var memory: NodeMemory?
        lock.withLock { _ in memory = allocateAlone(byteCount: byteCount) }
        guard let memory else { preconditionFailure("the memory was allocated") }
        return memory
    }

    private func allocateAlone(byteCount: Int) -> NodeMemory {
        allocations.count += 1
        allocations.byteCount += byteCount
        held.add(byteCount)
        let memory = NodeMemory(allocating: byteCount, in: &slabs, born: birth, older: newest)
        if let newest { newest.newer = memory } else { oldest = memory }
        newest = memory
        return memory
    }

    /// A node that has a header and nothing else yet.
    func allocateNode(byteCount: Int, kind: UInt8, _ shape: NodeShape, capacity: Int) -> NodeMemory {
        let memory = allocate(byteCount: byteCount)
        for byteOffset in stride(from: 0, to: NodeLayout.headerByteCount, by: 8) {
            memory.store(UInt64(0), at: byteOffset)
        }
        memory.store(kind, in: NodeField.kind)
        memory.store(UInt8(shape.facetCount), in: NodeField.facetCount)
        memory.store(UInt8(shape.columnCount), in: NodeField.columnCount)
        memory.store(UInt16(capacity), in: NodeField.capacity)
        memory.store(Self.memoryMark, in: NodeField.base)
        return memory
    }

    /// The commit being made no longer needs the node. What it made itself is freed at once; a page stays what it is.
    func retire(_ node: Node) {
        if node.isInMemory { retire(unsafe NodeMemory(at: node.address)) }
    }

    /// The same for the memory of a large value.
    func retire(_ memory: NodeMemory) {
        guard isShared else { return retireAlone(memory) }
        lock.withLock { _ in retireAlone(memory) }
    }

    private func retireAlone(_ memory: NodeMemory) {
        let born = memory.born
        if born == birth {
            free(memory)
        } else {
            retired.append(Retired(memory: memory, born: born, retired: birth))
            replaced.add(memory.byteCount)
        }
    }

    /// Undoes every commit after `commit`: their nodes go, what they retired lives again.
    func rollBack(to commit: UInt64) {
        while let last = retired.last, last.retired > commit {
            retired.removeLast()
            replaced.remove(last.memory.byteCount)
        }
        while let memory = newest, memory.born > commit { free(memory) }
        birth = commit
    }

    /// Frees what no live version needs. `live` ascends and holds every version that can still be read;
    /// `released` are those that no longer can since the last call.
    func reclaim(live: [UInt64], released: [UInt64]) {
        assert(!isShared, "what others change is not read")
        guard let newest = live.last else { return }
        settlePinned(under: released, live)
        // Entries retired by commits that are not published yet wait: those commits may still be undone.
        var count = 0
        while count < retired.count, retired[count].retired <= newest {
            settle(retired[count], live)
            count += 1
        }
        retired.removeFirst(count)
        assert(isSound(live: live), "a heap is sound after it was reclaimed")
    }

    /// The same for a heap in which no commit is made or undone any more: frees every node that no live version needs, those that
    /// the last commits replaced and those born after the newest live version too.
    func reclaimSuperseded(live: [UInt64], released: [UInt64]) {
        settlePinned(under: released, live)
        for node in retired { settle(node, live) }
        retired = []
        while let memory = newest, live.last.map({ memory.born > $0 }) ?? true { free(memory) }
        // Looking for the pieces in use takes as long as there are: a quarter more may stay, and many versions may go one by one.
        if freedByteCount >= held.byteCount / 4 {
            freedByteCount = 0
            unsafe slabs.keep(only: pieces)
        }
        assert(isSound(live: live), "a heap is sound after it was reclaimed")
    }

    /// Where what there is now lies.
    private var pieces: [Range<UInt>] {
        var pieces: [Range<UInt>] = []
        pieces.reserveCapacity(held.count)
        var next = newest
        while let memory = next {
            pieces.append(memory.addresses)
            next = memory.older
        }
        return pieces
    }

    private func settlePinned(under released: [UInt64], _ live: [UInt64]) {
        for version in released {
            guard let nodes = pinned.removeValue(forKey: version) else { continue }
            for node in nodes { settle(node, live) }
        }
    }

    private func settle(_ node: Retired, _ live: [UInt64]) {
        let place = live.indices.partitionPoint { live[$0] < node.born }
        if place < live.count, live[place] < node.retired {
            pinned[live[place], default: []].append(node)
        } else {
            replaced.remove(node.memory.byteCount)
            free(node.memory)
        }
    }

    /// Looks at all of it the first time, the second, the fourth and so on: a check takes as long as the heap has nodes.
    private func isSound(live: [UInt64]) -> Bool {
        reclaimCount += 1
        guard reclaimCount & (reclaimCount - 1) == 0 || held.count < 64 else { return true }
        let findings = invariantFindings(live: live)
        precondition(findings.isEmpty, "\(findings)")
        return true
    }

    private func free(_ memory: NodeMemory) {
        freedByteCount += memory.byteCount
        held.remove(memory.byteCount)
        if let newer = memory.newer {
            newer.older = memory.older
        } else {
            newest = memory.older
        }
        if let older = memory.older {
            older.newer = memory.newer
        } else {
            oldest = memory.newer
        }
        unsafe memory.deallocate(in: &slabs)
    }
}
