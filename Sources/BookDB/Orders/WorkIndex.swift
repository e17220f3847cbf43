import RecordStore
import StorageEngine

/// A tree in which works stand: an order of all of them, or the lists of some, by author, series, tag or language.
///
/// Every key ends in the key of the row, which is that of the tree `title`; only its *head* before that differs. A list carries this
/// with every row, so it is small; what else there is to say of the tree is its `definition`.
struct WorkIndex: Sendable {
    /// How long the heads of a tree's keys are.
    enum Head: Sendable {
        case bytes(Int)

        /// A text and the zero that ends it.
        case text

        /// The same, and the number in a series.
        case textAndSeriesNumber
    }

    let tree: TreeNumber
    let head: Head

    /// Whether all works stand in it, and not some in the list of each author, say.
    let isOrder: Bool

    private init(_ tree: TreeNumber, _ head: Head, isOrder: Bool) {
        (self.tree, self.head, self.isOrder) = (tree, head, isOrder)
    }

    static func order(_ tree: TreeNumber, head: Head) -> WorkIndex { WorkIndex(tree, head, isOrder: true) }

    static func lists(_ tree: TreeNumber, head: Head) -> WorkIndex { WorkIndex(tree, head, isOrder: false) }

    /// `nil` for a tree in which no works stand.
    init?(_ tree: TreeNumber) {
        guard let definition = WorkIndexDefinition.of(tree) else { return nil }
        self = definition.index
    }

    static let all = WorkIndexDefinition.all.map(\.index)

    var definition: WorkIndexDefinition {
        guard let definition = WorkIndexDefinition.of(tree) else {
            preconditionFailure("tree \(tree.rawValue) is among the definitions")
        }
        return definition
    }

    /// Where the key of the row begins within a key; the key's end when there is none.
    func titleKeyOffset(in key: RawSpan) -> Int {
        let start =
            switch head {
            case .bytes(let count): count
            case .text: Self.textEnd(key) + 1
            case .textAndSeriesNumber: Self.textEnd(key) + 1 + SeriesNumber.byteCount
            }
        return min(start, key.byteCount)
    }

    /// How many bytes at the beginning of a key say whose list the work is in; 0 in an order of all works.
    func scopeByteCount(_ key: RawSpan) -> Int {
        guard !isOrder else { return 0 }
        let count =
            switch head {
            case .bytes(let count): count
            case .text, .textAndSeriesNumber: Self.textEnd(key) + 1
            }
        return min(count, key.byteCount)
    }

    private static func textEnd(_ key: RawSpan) -> Int {
        var offset = 0
        while offset < key.byteCount, key.byte(at: offset) != LibraryKey.separator { offset += 1 }
        return offset
    }
}

extension WorkIndex: Hashable {
    static func == (left: WorkIndex, right: WorkIndex) -> Bool { left.tree == right.tree }

    func hash(into hasher: inout Hasher) { hasher.combine(tree) }
}
