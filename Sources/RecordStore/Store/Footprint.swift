/// What an open library holds in memory, by what it is for: `store.footprint`.
///
/// ```swift
/// let footprint = store.footprint
/// print(footprint.dirtyByteCount, footprint[.nodes])
/// print(footprint)                            // every part that is not empty, a line each
/// ```
///
/// *Dirty* memory is the app's alone: the system cannot take it back. Pages of a mapped file are *clean*: it drops them when it needs
/// room, and reads them again.
///
/// Counted is what grows with the library or with what is done to it. Not counted are a few objects for each open library, each list and
/// each type of records, some kilobytes together; a page of the log that is being written; the values that an app has read; and what a call that runs now needs,
/// such as a load or a compaction.
public struct Footprint: Sendable, Hashable {
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// What was changed since the library's snapshot file was written. A compaction makes it part of the next one.
        case nodes
        /// What later commits have replaced, and a snapshot needs that somebody holds.
        case heldNodes = "held-nodes"
        /// What was freed and is kept for the next commits. `releaseMemory()` gives it back.
        case freeNodes = "free-nodes"
        /// Commits that wait to be written, or for the end of a compaction.
        case waitingCommits = "waiting-commits"
        /// A bit for each page of the snapshot file, whether it was checked.
        case pageMarks = "page-marks"
        /// Values that `CachedValues` over the library's cache hold. `releaseMemory()` lets them go.
        case cachedValues = "cached-values"
        /// What is known of the cache's directory. `releaseMemory()` lets it go.
        case cacheTable = "cache-table"
        /// Which rows live lists show that a predicate or a search has chosen: four bytes each.
        case lists
        /// Of a library in memory: its files.
        case files
        /// Snapshot files that are mapped; several while somebody holds a snapshot from before a compaction.
        case snapshotFiles = "snapshot-files"
        /// Search files that are mapped: those that were searched.
        case searchFiles = "search-files"

        /// Whether it is memory that the system cannot take back.
        public var isDirty: Bool {
            switch self {
            case .nodes, .heldNodes, .freeNodes, .waitingCommits, .pageMarks, .cachedValues, .cacheTable, .lists,
                .files:
                true
            case .snapshotFiles, .searchFiles: false
            }
        }
    }

    private var byteCounts: [Part: Int] = [:]

    init(_ byteCounts: [Part: Int]) { self.byteCounts = byteCounts }

    /// The bytes of a part.
    public subscript(part: Part) -> Int { byteCounts[part] ?? 0 }

    /// Of all parts that the system cannot take back.
    public var dirtyByteCount: Int { byteCount { $0.isDirty } }

    /// Of mapped files, whether their pages are in memory or not.
    public var cleanByteCount: Int { byteCount { !$0.isDirty } }

    private func byteCount(where isCounted: (Part) -> Bool) -> Int {
        Part.allCases.reduce(0) { $0 + (isCounted($1) ? self[$1] : 0) }
    }
}

extension Footprint: CustomStringConvertible {
    /// A line for each part that is not empty, the largest first, and one for the sum.
    public var description: String {
        let parts = Part.allCases.filter { self[$0] > 0 }.sorted { self[$0] > self[$1] }
        let lines = parts.map { "\($0.rawValue): \(self[$0]) bytes\($0.isDirty ? "" : ", clean")" }
        return (lines + ["dirty: \(dirtyByteCount) bytes"]).joined(separator: "\n")
    }
}
