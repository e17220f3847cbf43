import Filing
import Dispatch
import StorageEngine

/// Rebuilds the lists of all works for another tailoring: the entries of every list are worked out on all cores and sorted, and
/// replace the list's tree.
struct Relisting {
    private let load: Load
    private let filing: FilingTailoring

    /// Records of books that a core works out before it takes the next.
    private static let recordCount = 4096
    private static let trees = DerivedTree.ofBooks.filter { WorkIndex($0.number) != nil }

    init(_ load: Load, _ filing: FilingTailoring) { (self.load, self.filing) = (load, filing) }

    func run() throws(LibraryError) {
        let ends = try stretchEnds()
        let failure = Lock<LibraryError?>(nil)
        DispatchQueue.concurrentPerform(iterations: ends.count + 1) { index in
            guard failure.withLock({ $0 }) == nil else { return }
            do throws(LibraryError) {
                try load.withCollector { (collector) throws(LibraryError) in
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
    }

    /// The keys of records of books that end a stretch each; the last stretch ends with the last of them.
    private func stretchEnds() throws(LibraryError) -> [[UInt8]] {
        return try translatingErrors {
            let count = try load.version.count(in: LibraryTree.books)
            var ends: [[UInt8]] = []
            for position in stride(from: Self.recordCount - 1, to: count - 1, by: Self.recordCount) {
                guard let entry = try load.version.entry(at: position, in: LibraryTree.books) else { break }
                ends.append(try entry.withKey { $0.copyBytes(0..<$0.byteCount) })
            }
            return ends
        }
    }

    private func collect(
        after start: [UInt8]?, through end: [UInt8]?, into collector: EntryCollector
    ) throws(LibraryError) {
        var derivation = Derivation(worksIn: Self.trees, filing: filing, after: start, through: end)
        while let entries = try derivation.next(from: load.version) {
            try translatingErrors {
                for entry in entries { try collector.put(entry) }
            }
        }
    }
}
