import StorageEngine

/// A tree in which works stand: an order of all of them, or the lists of some, by author, series, tag or language.
///
/// Every key ends in the key of the row, which is that of the tree `title`; only where it begins differs.
enum WorkIndex: Hashable, Sendable {
    case order(WorkOrder)

    /// The works of each author.
    case author

    /// The works of each series, in its order.
    case series

    /// The works under each tag of the reader's.
    case tag

    /// The works in each language.
    case language

    static let all: [WorkIndex] = WorkOrder.allCases.map { .order($0) } + [.author, .series, .tag, .language]

    var tree: TreeNumber {
        switch self {
        case .order(.title): LibraryTree.title
        case .order(.author): LibraryTree.authorOrder
        case .order(.added): LibraryTree.addedOrder
        case .order(.finished): LibraryTree.finishedOrder
        case .order(.year): LibraryTree.yearOrder
        case .order(.rating): LibraryTree.ratingOrder
        case .order(.series): LibraryTree.seriesOrder
        case .author: LibraryTree.authorWorks
        case .series: LibraryTree.seriesWorks
        case .tag: LibraryTree.tagWorks
        case .language: LibraryTree.languageWorks
        }
    }

    init?(_ tree: TreeNumber) {
        guard let index = Self.all.first(where: { $0.tree == tree }) else { return nil }
        self = index
    }

    /// Where the key of the row begins within a key; the key's end when there is none.
    func titleKeyOffset(in key: RawSpan) -> Int {
        let start =
            switch self {
            case .order(.title): 0
            case .order(.added), .author: 8
            case .order(.finished): 4
            case .order(.year): 2
            case .language: LanguageCode.byteCount
            case .order(.rating): 1
            case .order(.author), .tag: Self.textEnd(key) + 1
            // The number in the series stands between.
            case .order(.series), .series: Self.textEnd(key) + 1 + SeriesNumber.byteCount
            }
        return min(start, key.byteCount)
    }

    /// How many bytes at the beginning of a key say whose list the work is in; 0 in an order of all works.
    func scopeByteCount(_ key: RawSpan) -> Int {
        let count =
            switch self {
            case .order: 0
            case .author: 8
            case .language: LanguageCode.byteCount
            case .series, .tag: Self.textEnd(key) + 1
            }
        return min(count, key.byteCount)
    }

    private static func textEnd(_ key: RawSpan) -> Int {
        var offset = 0
        while offset < key.byteCount, key.loadLittleEndian(at: offset, as: UInt8.self) != LibraryKey.separator {
            offset += 1
        }
        return offset
    }
}

extension WorkOrder {
    /// The tree whose order this is.
    var tree: TreeNumber { WorkIndex.order(self).tree }

    /// The first key of the works that do not have the value; `nil` in orders in which every work has one.
    var firstKeyWithoutValue: [UInt8]? {
        switch self {
        case .title, .added: nil
        case .author, .rating, .series: [0xFF]
        case .year: [0xFF, 0xFF]
        case .finished: [0xFF, 0xFF, 0xFF, 0xFF]
        }
    }
}
