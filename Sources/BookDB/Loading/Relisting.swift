import Filing
import Dispatch
import StorageEngine

/// Rebuilds the lists of all works for another tailoring: the entries of every list are worked out on all cores and sorted, and
/// replace the list's tree.
struct Relisting {
    private let load: Load
    private let filing: FilingTailoring
    private let meta: LibraryMeta
    private let storedMeta: LibraryMeta?

    /// Works that a core works out before it takes the next.
    private static let workCount = 2048
    private static let trees = DerivedTree.allCases.filter { WorkIndex($0.number) != nil }

    /// `nil` when the library is filed so already.
    init?(
        _ load: Load, _ filing: FilingTailoring, newDevice: UInt32, newFiling: FilingTailoring
    ) throws(BookError) {
        storedMeta = try LibraryMeta(load.version)
        var meta = storedMeta ?? LibraryMeta(device: newDevice, filing: newFiling)
        guard meta.filing != filing else { return nil }
        meta.filing = filing
        (self.load, self.filing, self.meta) = (load, filing, meta)
    }

    func run() throws(BookError) {
        let ends = try stretchEnds()
        let failure = Lock<BookError?>(nil)
        DispatchQueue.concurrentPerform(iterations: ends.count + 1) { index in
            guard failure.withLock({ $0 }) == nil else { return }
            do throws(BookError) {
                try load.withCollector { (collector) throws(BookError) in
                    try collect(
                        after: index == 0 ? nil : ends[index - 1], through: index == ends.count ? nil : ends[index],
                        into: collector)
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        for tree in Self.trees { load.replace(tree.number) }
        try load.put(meta, since: storedMeta)
        var changes = LibraryChanges()
        changes.isRelisted = true
        load.note = changes
    }

    /// The keys of works that end a stretch each; the last stretch ends with the works.
    private func stretchEnds() throws(BookError) -> [[UInt8]] {
        return try translatingErrors {
            let count = try load.version.count(in: LibraryTree.works)
            var ends: [[UInt8]] = []
            for position in stride(from: Self.workCount - 1, to: count - 1, by: Self.workCount) {
                guard let entry = try load.version.entry(at: position, in: LibraryTree.works) else { break }
                ends.append(entry.withKey { $0.copyBytes(0..<$0.byteCount) })
            }
            return ends
        }
    }

    private func collect(
        after start: [UInt8]?, through end: [UInt8]?, into collector: EntryCollector
    ) throws(BookError) {
        var derivation = Derivation(worksIn: Self.trees, filing: filing, after: start, through: end)
        while let entries = try derivation.next(from: load.version) {
            try translatingErrors {
                for entry in entries { try collector.put(entry) }
            }
        }
    }
}
