import Filing
import RecordStore
import StorageEngine

/// The keys of a work in every order and list: a pure function of the work, its authors and the reader's entry.
struct WorkKeys: Equatable, Sendable {
    /// A key of the work in one of the trees.
    struct Key: Equatable, Sendable {
        let index: WorkIndex
        let bytes: [UInt8]
        /// The name of a series or tag as written; empty elsewhere. The row of the tree `title` is not here.
        var value: [UInt8] = []
    }

    /// In the order of the definitions.
    private(set) var all: [Key] = []

    /// The key in the tree `title`, in which every other ends.
    let title: [UInt8]

    init(_ work: Work, authors: [Author], entry: UserLibraryEntry?, filing: FilingTailoring) {
        self.init(WorkFiling(work: work, authors: authors, entry: entry, filing: filing))
    }

    init(_ filed: WorkFiling) {
        title = Self.titleKey(filed.work, filed.filing)
        all.reserveCapacity(
            WorkOrder.allCases.count + filed.work.authors.count + filed.work.series.count
                + (filed.entry?.tags.count ?? 0) + 1)
        for addKeys in WorkIndexDefinition.keyAdditions { addKeys(filed, &self) }
    }

    /// The keys in one tree alone.
    init(_ filed: WorkFiling, in index: WorkIndex) {
        title = Self.titleKey(filed.work, filed.filing)
        index.definition.addKeys(filed, &self)
    }

    subscript(index: WorkIndex) -> [UInt8] { all.first { $0.index == index }?.bytes ?? [] }

    /// Adds a key.
    ///
    /// - Parameters:
    ///   - count: how many bytes come before the key of the row.
    ///   - writeHead: appends those.
    @inline(__always)
    mutating func add(
        _ index: WorkIndex, headByteCount count: Int, value: [UInt8] = [], _ writeHead: (inout [UInt8]) -> Void
    ) {
        var key: [UInt8] = []
        key.reserveCapacity(count + title.count)
        writeHead(&key)
        key.append(contentsOf: title)
        all.append(Key(index: index, bytes: key, value: value))
    }

    private static func titleKey(_ work: Work, _ filing: FilingTailoring) -> [UInt8] {
        LibraryKey.title(
            TitleKey.make(title: work.title, sortTitle: work.sortTitle, language: work.language, filing: filing),
            work.id)
    }
}
