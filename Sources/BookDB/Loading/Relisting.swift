import Filing
import Dispatch
import StorageEngine

/// Makes derived trees anew, for other rules or another tailoring: the entries that works make are worked out on all cores and sorted, and
/// replace what the trees held.
struct Relisting {
    private let load: Load
    private let filing: FilingTailoring
    /// Those made of works, and the others.
    private let ofWorks: [DerivedTree]
    private let ofOthers: [DerivedTree]

    /// Records of books that a core works out before it takes the next.
    private static let recordCount = 4096

    init(_ load: Load, _ trees: [DerivedTree], _ filing: FilingTailoring) {
        (self.load, self.filing) = (load, filing)
        ofWorks = trees.filter { $0.source == .works }
        ofOthers = trees.filter { $0.source != .works }
    }

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
        try load.withCollector { (collector) throws(LibraryError) in
            try collect(Derivation(ofOthers, filing: filing), into: collector)
        }
        for tree in ofWorks + ofOthers { load.replace(tree.number) }
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
        try collect(Derivation(worksIn: ofWorks, filing: filing, after: start, through: end), into: collector)
    }

    private func collect(_ derivation: Derivation, into collector: EntryCollector) throws(LibraryError) {
        var derivation = derivation
        while let entries = try derivation.next(from: load.version) {
            try translatingErrors {
                for entry in entries { try collector.put(entry) }
            }
        }
    }
}
