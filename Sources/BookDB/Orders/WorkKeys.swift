import Filing
import RecordStore
import StorageEngine

/// The keys of a work in every order and list: a pure function of the work, its authors and the reader's entry.
///
/// They lie one behind the other in one array: a work has a dozen, and an array for each would be a dozen allocations whenever a work is inserted.
struct WorkKeys: Equatable, Sendable {
    /// A key of the work in one of the trees: where it lies among the bytes.
    struct Key: Equatable, Sendable {
        let index: WorkIndex
        fileprivate let key: Range<Int>
        /// The name of a series or tag as written; empty elsewhere. The row of the tree `title` is not here.
        fileprivate let value: Range<Int>
    }

    /// In the order of the definitions.
    private(set) var all: [Key] = []

    private var bytes: [UInt8] = []

    /// The key in the tree `title`, in which every other ends.
    let title: [UInt8]

    init(_ work: Work, authors: [Author], entry: UserLibraryEntry?, filing: FilingTailoring) {
        self.init(WorkFiling(work: work, authors: authors, entry: entry, filing: filing))
    }

    init(_ filed: WorkFiling) {
        title = Self.titleKey(filed.work, filed.filing)
        let count =
            WorkOrder.allCases.count + filed.work.authors.count + filed.work.series.count
            + (filed.entry?.tags.count ?? 0) + 1
        all.reserveCapacity(count)
        bytes.reserveCapacity(count * (title.count + Self.usualHeadByteCount))
        for addKeys in WorkIndexDefinition.keyAdditions { addKeys(filed, &self) }
    }

    /// The keys in one tree alone.
    init(_ filed: WorkFiling, in index: WorkIndex) {
        title = Self.titleKey(filed.work, filed.filing)
        index.definition.addKeys(filed, &self)
    }

    private static let usualHeadByteCount = 12

    /// Adds a key.
    ///
    /// - Parameter appendHead: appends what comes before the key of the row, and nothing else.
    @inline(__always)
    mutating func add(_ index: WorkIndex, value: String = "", _ appendHead: (inout [UInt8]) -> Void) {
        let start = bytes.count
        appendHead(&bytes)
        bytes.append(contentsOf: title)
        let end = bytes.count
        bytes.append(contentsOf: value.utf8)
        all.append(Key(index: index, key: start..<end, value: end..<bytes.count))
    }

    // MARK: One of them

    /// Calls `body` with the bytes of a key and of its value, which is empty for the row of the tree `title`.
    @inline(__always)
    func withBytes<Result, Failure>(
        of key: Key, _ body: (_ key: RawSpan, _ value: RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes { (bytes) throws(Failure) in
            try body(bytes.extracting(key.key), bytes.extracting(key.value))
        }
    }

    func bytes(of key: Key) -> [UInt8] { Array(bytes[key.key]) }

    /// The first key in a tree that begins so; `nil` when there is none.
    func bytes(in index: WorkIndex, beginningWith prefix: [UInt8] = []) -> [UInt8]? {
        all.first { $0.index == index && bytes[$0.key].starts(with: prefix) }.map { bytes(of: $0) }
    }

    func contains(_ key: [UInt8], in index: WorkIndex) -> Bool {
        all.contains { $0.index == index && bytes[$0.key].elementsEqual(key) }
    }

    /// Whether a key is one of others, of the same tree.
    func isSame(_ key: Key, as other: Key, of others: WorkKeys) -> Bool {
        key.index == other.index && bytes[key.key] == others.bytes[other.key]
    }

    /// Whether two keys have the same value, rows aside.
    func hasSameValue(_ key: Key, as other: Key, of others: WorkKeys) -> Bool {
        bytes[key.value] == others.bytes[other.value]
    }

    private static func titleKey(_ work: Work, _ filing: FilingTailoring) -> [UInt8] {
        LibraryKey.title(
            TitleKey.make(title: work.title, sortTitle: work.sortTitle, language: work.language, filing: filing),
            work.id)
    }
}
