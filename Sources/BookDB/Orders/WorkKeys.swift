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
        title = Self.titleKey(work, filing)
        all.reserveCapacity(
            WorkOrder.allCases.count + work.authors.count + work.series.count + (entry?.tags.count ?? 0) + 1)
        let filed = WorkFiling(work: work, authors: authors, entry: entry, filing: filing)
        for definition in WorkIndexDefinition.all { definition.addKeys(filed, &self) }
    }

    /// The keys in one tree alone.
    init(_ work: WorkFiling, in index: WorkIndex) {
        title = Self.titleKey(work.work, work.filing)
        index.definition.addKeys(work, &self)
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
