import Dispatch
import StorageEngine

/// Makes the lists of all works anew, as another tailoring files them: every list's entries are worked out on all cores and sorted,
/// and take the place of the tree.
struct Relisting {
    private let load: Load
    private let filing: FilingTailoring
    private let meta: LibraryMeta

    /// Works that a core works out before it takes the next.
    private static let workCount = 2048
    private static let trees = DerivedTree.allCases.filter { WorkIndex($0.number) != nil }

    /// `nil` when the library is filed so already.
    init?(
        _ load: Load, _ filing: FilingTailoring, newDevice: UInt32, newFiling: FilingTailoring
    ) throws(BookError) {
        let meta = try LibraryMeta(load.version) ?? LibraryMeta(device: newDevice, filing: newFiling)
        guard meta.filing != filing else { return nil }
        (self.load, self.filing, self.meta) = (load, filing, meta)
    }

    func run() throws(BookError) {
        let ends = try stretchEnds()
        let idle = Lock<[EntryCollector]>([])
        let failure = Lock<BookError?>(nil)
        DispatchQueue.concurrentPerform(iterations: ends.count + 1) { index in
            guard failure.withLock({ $0 }) == nil else { return }
            let collector = idle.withLock { $0.popLast() } ?? load.makeCollector()
            do throws(BookError) {
                try collect(
                    after: index == 0 ? nil : ends[index - 1], through: index == ends.count ? nil : ends[index],
                    into: collector)
            } catch {
                failure.withLock { $0 = error }
            }
            idle.withLock { $0.append(collector) }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        for tree in Self.trees { load.replace(tree.number) }
        try putMeta()
        var changes = LibraryChanges()
        changes.isRelisted = true
        load.note = changes
    }

    /// The keys of works that end a stretch each; the last stretch ends with the works.
    private func stretchEnds() throws(BookError) -> [[UInt8]] {
        do {
            let count = try load.version.count(in: LibraryTree.works)
            var ends: [[UInt8]] = []
            for position in stride(from: Self.workCount - 1, to: count - 1, by: Self.workCount) {
                guard let entry = try load.version.entry(at: position, in: LibraryTree.works) else { break }
                ends.append(entry.withKey { $0.copyBytes(0..<$0.byteCount) })
            }
            return ends
        } catch {
            throw BookError(error)
        }
    }

    private func collect(
        after start: [UInt8]?, through end: [UInt8]?, into collector: EntryCollector
    ) throws(BookError) {
        var derivation = Derivation(worksIn: Self.trees, filing: filing, after: start, through: end)
        while let entries = try derivation.next(from: load.version) {
            do {
                for entry in entries { try collector.put(entry) }
            } catch {
                throw BookError(error)
            }
        }
    }

    private func putMeta() throws(BookError) {
        var changed = meta
        changed.filing = filing
        let collector = load.makeCollector()
        do {
            for (name, value) in changed.changes(since: try LibraryMeta(load.version)) {
                try collector.put(value, forKey: name, in: LibraryTree.meta)
            }
        } catch {
            throw BookError(caught: error)
        }
    }
}
