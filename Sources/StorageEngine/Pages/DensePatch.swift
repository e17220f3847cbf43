/// A memory leaf that amends a dense page: which of the page's entries it keeps, and own ones in between.
///
/// Own entries hold their key whole, and each knows before which entry of the page it stands. So keys are compared with own ones only, those
/// of the page by their places, and a change of a leaf of a thousand entries takes as many bytes as it says.
///
/// Safe because a `Node` is, and because the node was made here.
@safe struct DensePatch {
    private let memory: NodeMemory

    /// `nil` when the commit being made has not made the leaf.
    init?(own node: Node, heap: NodeHeap) {
        guard node.isDensePatch, let memory = heap.memory(of: node) else { return nil }
        self.memory = memory
    }

    /// A node that keeps a stretch of the page that `leaf` is or amends, and has nothing else yet, with room for what it is to get and a bit
    /// more.
    init(
        amending leaf: Node, _ entries: Range<Int>, ownCount: Int, removedCount: Int, ownByteCount: Int, heap: NodeHeap
    ) {
        let arrays = PatchArrays(
            ownCapacity: ownCount + 2 + ownCount / 4, removedCapacity: removedCount + 2 + removedCount / 4)
        memory = heap.allocateNode(
            byteCount: (arrays.end + ownByteCount + 96 + ownByteCount / 4 + 15) & ~15,
            kind: leaf.isPacked ? NodeLayout.packedPatch : NodeLayout.permutationPatch, leaf.shape,
            capacity: arrays.ownCapacity)
        memory.store(UInt32(arrays.end), in: NodeField.used)
        memory.store(UInt16(entries.count), in: NodeField.count)
        memory.store(leaf.patchWord, in: NodeField.base)
        memory.store(UInt16(entries.lowerBound), in: PatchField.first)
        memory.store(UInt16(entries.upperBound), in: PatchField.end)
        memory.store(UInt16(0), in: PatchField.ownCount)
        memory.store(UInt16(0), in: PatchField.removedCount)
        memory.store(UInt16(arrays.removedCapacity), in: PatchField.removedCapacity)
    }

    /// A copy of `leaf` with room for some changes of so many bytes. `nil` when too much of the leaf is no longer used: compose a new one then.
    init?(copying leaf: Node, changeCount: Int, extraByteCount: Int, heap: NodeHeap) {
        guard leaf.isDensePatch else {
            self.init(
                amending: leaf, 0..<leaf.count, ownCount: changeCount, removedCount: changeCount,
                ownByteCount: extraByteCount, heap: heap)
            return
        }
        let (ownCount, removedCount, arrays) = (leaf.ownCount, leaf.removedCount, leaf.patchArrays)
        guard leaf.used - arrays.end - leaf.ownByteCount <= Self.garbageByteCount else { return nil }
        self.init(
            amending: leaf, leaf.firstInPage..<leaf.endInPage, ownCount: ownCount + changeCount,
            removedCount: removedCount + changeCount,
            ownByteCount: leaf.used - arrays.end + extraByteCount, heap: heap)
        let own = node.patchArrays
        leaf.withBytes(arrays.bases.range(of: 0..<ownCount)) { memory.copy($0, to: own.bases.offset) }
        leaf.withBytes(arrays.positions.range(of: 0..<ownCount)) { memory.copy($0, to: own.positions.offset) }
        leaf.withBytes(arrays.removed.range(of: 0..<removedCount)) { memory.copy($0, to: own.removed.offset) }
        leaf.withBytes(arrays.end..<leaf.used) { memory.copy($0, to: own.end) }
        let distance = own.end - arrays.end
        for index in 0..<ownCount {
            memory.store(UInt16(Int(leaf.load(arrays.offsets[index])) + distance), in: own.offsets[index])
        }
        memory.store(UInt16(leaf.count), in: NodeField.count)
        memory.store(UInt16(ownCount), in: PatchField.ownCount)
        memory.store(UInt16(removedCount), in: PatchField.removedCount)
        memory.store(UInt32(own.end + leaf.used - arrays.end), in: NodeField.used)
        memory.store(UInt32(leaf.ownByteCount), in: NodeField.pageNumber)
    }

    /// Bytes of entries that are no longer there, tolerated in a copy.
    private static let garbageByteCount = 512

    var node: Node { memory.node }

    /// Whether so many changes fit, each of which may bring an own entry and take one of the page.
    func hasRoom(for count: Int, ownByteCount: Int) -> Bool {
        node.ownCount + count <= node.capacity && node.removedCount + count <= node.removedCapacity
            && node.used + ownByteCount <= min(memory.byteCount, Int(UInt16.max))
    }

    // MARK: Composing

    /// An entry of the page goes. In order, and before own entries come.
    func append(removed index: Int) {
        let done = insert(removed: index)
        precondition(done, "the node has room for what it was made for")
        addCount(-1)
    }

    /// An own entry of another patch. In order.
    func append(_ own: Int, of source: Node) {
        let start = Int(source.load(source.patchArrays.offsets[own]))
        let byteCount = source.ownEntryByteCount(at: start)
        let used = node.used
        source.withBytes(start..<start + byteCount) { memory.copy($0, to: used) }
        memory.store(UInt32(used + byteCount), in: NodeField.used)
        appendWritten(used, byteCount, base: source.base(ofOwn: own))
    }

    /// A new entry that stands before an entry of the page. In order.
    func append(_ entry: LeafEntry, base: Int) {
        let used = node.used
        let byteCount = write(entry)
        precondition(byteCount > 0, "the node has room for what it was made for")
        appendWritten(used, byteCount, base: base)
    }

    private func appendWritten(_ offset: Int, _ byteCount: Int, base: Int) {
        let own = node.ownCount
        addOwnBytes(byteCount)
        store(own: own, offset: offset, base: base, position: node.position(ofBase: base) + own)
        memory.store(UInt16(own + 1), in: PatchField.ownCount)
        addCount(1)
    }

    // MARK: Changing

    /// `false` when the node has no room: compose a new one then.
    func insert(_ entry: LeafEntry, at place: DensePlace) -> Bool {
        let count = node.ownCount
        let used = node.used
        guard count < node.capacity, node.count < Int(UInt16.max) else { return false }
        let byteCount = write(entry)
        guard byteCount > 0 else { return false }
        addOwnBytes(byteCount)
        let own = node.ownCount(before: place.index)
        move(own: own, by: 1)
        memory.store(UInt16(count + 1), in: PatchField.ownCount)
        store(own: own, offset: used, base: place.base, position: place.index)
        shiftPositions(from: own + 1, by: 1)
        addCount(1)
        return true
    }

    /// The same for the entry at a place, which is there.
    func replace(_ entry: LeafEntry, at place: DensePlace) -> Bool {
        let own = node.ownCount(before: place.index)
        guard node.isOwn(own, at: place.index) else {
            guard node.removedCount < node.removedCapacity, node.ownCount < node.capacity else { return false }
            let used = node.used
            let byteCount = write(entry)
            guard byteCount > 0, insert(removed: place.base) else { return false }
            addOwnBytes(byteCount)
            move(own: own, by: 1)
            memory.store(UInt16(node.ownCount + 1), in: PatchField.ownCount)
            store(own: own, offset: used, base: place.base, position: place.index)
            return true
        }
        let used = node.used
        let byteCount = write(entry)
        guard byteCount > 0 else { return false }
        addOwnBytes(byteCount - node.ownEntryByteCount(own))
        memory.store(UInt16(used), in: node.patchArrays.offsets[own])
        return true
    }

    /// The same for an entry that goes. The bytes of an own entry stay until the node is composed anew.
    func remove(at index: Int) -> Bool {
        let own = node.ownCount(before: index)
        if node.isOwn(own, at: index) {
            addOwnBytes(-node.ownEntryByteCount(own))
            move(own: own + 1, by: -1)
            memory.store(UInt16(node.ownCount - 1), in: PatchField.ownCount)
        } else {
            guard let inPage = node.indexInPage(index), insert(removed: inPage) else { return false }
        }
        shiftPositions(from: own, by: -1)
        addCount(-1)
        return true
    }

    // MARK: Bytes

    private func addCount(_ difference: Int) { memory.store(UInt16(node.count + difference), in: NodeField.count) }

    private func addOwnBytes(_ difference: Int) {
        memory.store(UInt32(node.ownByteCount + difference), in: NodeField.pageNumber)
    }

    private func store(own: Int, offset: Int, base: Int, position: Int) {
        let arrays = node.patchArrays
        memory.store(UInt16(offset), in: arrays.offsets[own])
        memory.store(UInt16(base), in: arrays.bases[own])
        memory.store(UInt16(position), in: arrays.positions[own])
    }

    private func move(own first: Int, by places: Int) {
        let arrays = node.patchArrays
        let rest = first..<node.ownCount
        guard !rest.isEmpty else { return }
        memory.move(rest, of: arrays.offsets, by: places)
        memory.move(rest, of: arrays.bases, by: places)
        memory.move(rest, of: arrays.positions, by: places)
    }

    private func shiftPositions(from first: Int, by difference: Int) {
        let positions = node.patchArrays.positions
        for own in first..<max(first, node.ownCount) {
            memory.store(UInt16(Int(node.load(positions[own])) + difference), in: positions[own])
        }
    }

    private func insert(removed index: Int) -> Bool {
        let count = node.removedCount
        guard count < node.removedCapacity else { return false }
        let removed = node.patchArrays.removed
        let place = node.removedCount(below: index)
        if place < count { memory.move(place..<count, of: removed, by: 1) }
        memory.store(UInt16(index), in: removed[place])
        memory.store(UInt16(count + 1), in: PatchField.removedCount)
        return true
    }

    /// Writes an entry's bytes behind those there are, and gives how many; 0 when there is no room.
    private func write(_ entry: LeafEntry) -> Int {
        let used = node.used
        let byteCount = entry.ownByteCount
        guard used + byteCount <= memory.byteCount, used <= Int(UInt16.max) else { return 0 }
        memory.store(entry.facets, at: used + OwnEntryField.facets.offset)
        memory.store(entry.word, at: used + OwnEntryField.word.offset)
        memory.store(UInt16(entry.keyByteCount), at: used + OwnEntryField.keyCount.offset)
        entry.copyKey(from: 0, to: memory, at: used + OwnEntryField.end)
        entry.copyCell(to: memory, at: used + OwnEntryField.end + entry.keyByteCount)
        memory.store(UInt32(used + byteCount), in: NodeField.used)
        return byteCount
    }
}

extension LeafEntry {
    /// What the entry takes in a patch.
    var ownByteCount: Int { OwnEntryField.end + keyByteCount + cellByteCount }
}

/// Where a key stands in a dense leaf.
struct DensePlace {
    /// The first entry that does not sort before it.
    let index: Int
    /// Whether that is the key's.
    let isEqual: Bool
    /// The first entry of the page that does not sort before it.
    let base: Int
}
