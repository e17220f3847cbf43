/// Changes of dense leaves. Where a key stands among the entries of a permutation page is looked up in the home
/// tree first, which can throw; then nothing can.
///
/// Safe because a lead is compared with those of a page that was validated, while its key is lent.
extension TreeEditor {
    /// Inserts, or replaces the entry with the same key.
    mutating func put(_ entry: LeafEntry, dense leaf: Node) throws(StorageError) -> Outcome {
        let place = try entry.withKey { (key) throws(StorageError) in try pages.place(of: key, in: leaf, lead) }
        var change = CountChange()
        if place.isEqual {
            note(theRemovalOf: place.index, of: leaf, in: &change)
            retireValue(of: leaf, place.index)
        }
        note(theArrivalOf: entry, in: &change)
        self.change = change
        var leaf = leaf
        if place.isEqual || leaf.count < heap.entryLimit,
            (leaf.isDensePatch ? leaf.ownByteCount : 0) + entry.ownByteCount <= DenseMerge.ownByteLimit,
            let own = own(dense: leaf, for: 1, extraByteCount: entry.ownByteCount)
        {
            leaf = own.node
            let done = place.isEqual ? own.replace(entry, at: place) : own.insert(entry, at: place)
            if done { return Outcome(reference: leaf.reference) }
        }
        var merge = DenseMerge(leaf, heap: heap)
        merge.put(0, byteCount: entry.ownByteCount, at: place)
        let pieces = merge.compose(2) { _, body in body(entry) }
        retire(leaf)
        return Outcome(
            reference: pieces[0].node.reference,
            split: pieces.count == 1 ? nil : (pieces[1].separator, pieces[1].node.reference))
    }

    /// The leaf, or a copy of it with room for so many changes, which this commit may change; `nil` when it is better composed anew.
    private func own(dense leaf: Node, for changeCount: Int, extraByteCount: Int) -> DensePatch? {
        if let own = DensePatch(own: leaf, heap: heap) { return own }
        guard
            let copy = DensePatch(
                copying: leaf, changeCount: changeCount, extraByteCount: extraByteCount, heap: heap)
        else { return nil }
        retire(leaf)
        return copy
    }

    /// 0 when nothing is left of the leaf, `nil` when the key is not there.
    mutating func remove(_ key: RawSpan, dense leaf: Node) throws(StorageError) -> UInt64? {
        let place = try pages.place(of: key, in: leaf, lead)
        guard place.isEqual else { return nil }
        var change = CountChange()
        note(theRemovalOf: place.index, of: leaf, in: &change)
        self.change = change
        retireValue(of: leaf, place.index)
        var leaf = leaf
        if leaf.count > 1, let own = own(dense: leaf, for: 1, extraByteCount: 0) {
            leaf = own.node
            if own.remove(at: place.index) { return leaf.reference }
        }
        var merge = DenseMerge(leaf, heap: heap)
        merge.remove(place.index)
        let pieces = merge.compose(1) { _, _ in }
        retire(leaf)
        return pieces.first?.node.reference ?? 0
    }

    /// `nil` when the changes of the run change nothing.
    mutating func apply(_ run: EntryRun, _ range: Range<Int>, toDense leaf: Node) throws(StorageError) -> Changed? {
        askForHomes(of: run, range, leaf)
        var places: [DensePlace] = []
        places.reserveCapacity(range.count)
        for index in range {
            places.append(
                try run.withKey(index) { (key) throws(StorageError) in try pages.place(of: key, in: leaf, lead) })
        }
        var movement = CountMovement(columns)
        var cells: [Int: [UInt8]] = [:]
        var ownByteCount = 0
        var changesAnything = false
        for (index, place) in zip(range, places) {
            var change = CountChange()
            if place.isEqual {
                note(theRemovalOf: place.index, of: leaf, in: &change)
                retireValue(of: leaf, place.index)
            }
            if !run.isRemoval(index) {
                let cell = largeCell(index, of: run)
                if let cell { cells[index] = cell }
                run.withEntry(index, largeCell: cell) {
                    note(theArrivalOf: $0, in: &change)
                    ownByteCount += $0.ownByteCount
                }
            }
            changesAnything = changesAnything || place.isEqual || !run.isRemoval(index)
            movement.add(change, columns)
        }
        guard changesAnything else { return nil }
        func withEntry(_ index: Int, _ body: (LeafEntry) -> Void) {
            run.withEntry(index, largeCell: cells.isEmpty ? nil : cells[index], body)
        }
        if let patch = patch(for: range.count, ownByteCount: ownByteCount, of: leaf) {
            // From the end on, so that no change moves the place of one that is still to come.
            for (number, place) in places.enumerated().reversed() {
                let index = range.lowerBound + number
                guard !run.isRemoval(index) else {
                    if place.isEqual { expectRoom(patch.remove(at: place.index)) }
                    continue
                }
                withEntry(index) { entry in
                    expectRoom(place.isEqual ? patch.replace(entry, at: place) : patch.insert(entry, at: place))
                }
            }
            return Changed(pieces: [([], patch.node.reference)], movement: movement)
        }
        var merge = DenseMerge(leaf, heap: heap)
        for (index, place) in zip(range, places) {
            if run.isRemoval(index) {
                if place.isEqual { merge.remove(place.index) }
            } else {
                withEntry(index) { merge.put(index, byteCount: $0.ownByteCount, at: place) }
            }
        }
        let pieces = merge.compose(.max, withEntry)
        retire(leaf)
        return Changed(pieces: pieces.map { ($0.separator, $0.node.reference) }, movement: movement)
    }

    /// Asks for the leaves of the home tree that keys of a run are looked up in: those of which the page has the lead.
    private func askForHomes(of run: EntryRun, _ range: Range<Int>, _ leaf: Node) {
        guard leaf.isPermuted, range.count > 1, pages.mayBeCold() else { return }
        let page = leaf.permutation
        func leadByteCount(_ key: RawSpan) -> Int { lead?.byteCount(in: key) ?? key.byteCount }
        let wanted = range.filter { index in
            run.withKey(index) { key in
                let count = leadByteCount(key)
                let isThere = unsafe key.extracting(0..<count).withUnsafeBytes {
                    unsafe !page.entries(withLead: $0).isEmpty
                }
                return isThere && count < key.byteCount
            }
        }
        guard wanted.count > 1,
            let root = try? pages.node(page.homeRoot.reference, checksum: page.homeRoot.checksum)
        else { return }
        pages.ask(forWaysFrom: Array(repeating: root, count: wanted.count)) { way, branch in
            run.withKey(wanted[way]) { key in branch.childIndex(of: key.extracting(leadByteCount(key)...)) }
        }
    }

    /// The leaf, or a copy that this commit may change, when some changes fit and are few beside its own entries; `nil` otherwise. To compose
    /// it anew would look at each of those entries.
    private func patch(for count: Int, ownByteCount: Int, of leaf: Node) -> DensePatch? {
        guard leaf.isDensePatch, count * 4 <= leaf.ownCount, leaf.count + count <= heap.entryLimit,
            leaf.ownByteCount + ownByteCount <= DenseMerge.ownByteLimit
        else { return nil }
        // A copy has room.
        if let own = DensePatch(own: leaf, heap: heap), !own.hasRoom(for: count, ownByteCount: ownByteCount) {
            return nil
        }
        return own(dense: leaf, for: count, extraByteCount: ownByteCount)
    }

    private func expectRoom(_ isDone: Bool) { precondition(isDone, "the patch has room for what it was chosen for") }
}
