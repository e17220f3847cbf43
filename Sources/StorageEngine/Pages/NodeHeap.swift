/// The memory nodes of one generation, and those that newer ones have replaced.
///
/// Every allocation remembers the commit it was born in. A node is changed in place only by the commit that made it; a
/// later one makes another and retires the old. A retired node is needed by a version v exactly when
/// born <= v < retired, so it is freed as soon as no live version lies in that interval, however old other readers are.
///
/// Used by the writer alone. All that is left is freed with the heap.
final class NodeHeap {
    /// Before each node: birth u64, byte count u64, previous (newer) and next (older) allocation.
    private static let headerByteCount = 32

    /// In the base word of a memory node that amends no page; a page has 0 there.
    static let memoryMark: UInt64 = 2

    struct Retired {
        let node: UnsafeMutableRawPointer
        let born: UInt64
        let retired: UInt64
    }

    /// The commit that is being made; allocations are born in it.
    private(set) var birth: UInt64 = 0
    private var newest: UnsafeMutableRawPointer?
    /// In order of retirement.
    private var retired: [Retired] = []
    /// Retired nodes that a live version still needs, under that version.
    private var pinned: [UInt64: [Retired]] = [:]

    deinit {
        var next = newest
        while let allocation = next {
            next = Self.older(allocation)
            allocation.deallocate()
        }
    }

    func begin(_ commit: UInt64) { birth = commit }

    /// Whether the commit being made may change the node in place.
    @inline(__always)
    func isOwn(_ node: Node) -> Bool {
        node.isInMemory && (node.address - Self.headerByteCount).load(as: UInt64.self) == birth
    }

    /// Precondition: a memory node.
    func allocationByteCount(_ node: Node) -> Int {
        Int((node.address - Self.headerByteCount).load(fromByteOffset: 8, as: UInt64.self))
    }

    func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        let allocation = UnsafeMutableRawPointer.allocate(byteCount: byteCount + Self.headerByteCount, alignment: 16)
        allocation.storeBytes(of: birth, as: UInt64.self)
        allocation.storeBytes(of: UInt64(byteCount), toByteOffset: 8, as: UInt64.self)
        allocation.storeBytes(of: nil, toByteOffset: 16, as: UnsafeMutableRawPointer?.self)
        allocation.storeBytes(of: newest, toByteOffset: 24, as: UnsafeMutableRawPointer?.self)
        newest?.storeBytes(of: allocation, toByteOffset: 16, as: UnsafeMutableRawPointer?.self)
        newest = allocation
        return allocation + Self.headerByteCount
    }

    /// The commit being made no longer needs the node. What it made itself is freed at once; a page stays what it is.
    func retire(_ node: Node) {
        if node.isInMemory { retire(UnsafeMutableRawPointer(mutating: node.address)) }
    }

    func retire(_ node: UnsafeMutableRawPointer) {
        let born = (node - Self.headerByteCount).load(as: UInt64.self)
        if born == birth {
            free(node)
        } else {
            retired.append(Retired(node: node, born: born, retired: birth))
        }
    }

    /// Undoes every commit after `commit`: their nodes go, what they retired lives again.
    func rollBack(to commit: UInt64) {
        while let last = retired.last, last.retired > commit { retired.removeLast() }
        while let allocation = newest, allocation.load(as: UInt64.self) > commit {
            free(allocation + Self.headerByteCount)
        }
        birth = commit
    }

    /// Frees what no live version needs. `live` ascends and holds every version that can still be read;
    /// `released` are those that no longer can since the last call.
    func reclaim(live: [UInt64], released: [UInt64]) {
        guard let newest = live.last else { return }
        for version in released {
            guard let nodes = pinned.removeValue(forKey: version) else { continue }
            for node in nodes { settle(node, live) }
        }
        // Entries retired by commits that are not published yet wait: those commits may still be undone.
        var count = 0
        while count < retired.count, retired[count].retired <= newest {
            settle(retired[count], live)
            count += 1
        }
        retired.removeFirst(count)
    }

    private func settle(_ node: Retired, _ live: [UInt64]) {
        var low = 0
        var high = live.count
        while low < high {
            let middle = (low + high) / 2
            if live[middle] < node.born { low = middle + 1 } else { high = middle }
        }
        if low < live.count, live[low] < node.retired {
            pinned[live[low], default: []].append(node)
        } else {
            free(node.node)
        }
    }

    private func free(_ node: UnsafeMutableRawPointer) {
        let allocation = node - Self.headerByteCount
        let newer = allocation.load(fromByteOffset: 16, as: UnsafeMutableRawPointer?.self)
        let older = Self.older(allocation)
        if let newer {
            newer.storeBytes(of: older, toByteOffset: 24, as: UnsafeMutableRawPointer?.self)
        } else {
            newest = older
        }
        older?.storeBytes(of: newer, toByteOffset: 16, as: UnsafeMutableRawPointer?.self)
        allocation.deallocate()
    }

    private static func older(_ allocation: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        allocation.load(fromByteOffset: 24, as: UnsafeMutableRawPointer?.self)
    }
}
