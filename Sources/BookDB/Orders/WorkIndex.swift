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

    /// The number of the tree in the low half, above it how long heads are, and in the highest bit whether it is an order.
    private let packed: UInt32

    var tree: TreeNumber { TreeNumber(packed & 0xFFFF) }

    var head: Head {
        switch packed >> 16 & 0x7FFF {
        case Self.text: .text
        case Self.textAndSeriesNumber: .textAndSeriesNumber
        case let count: .bytes(Int(count))
        }
    }

    /// Whether all works stand in it, and not some in the list of each author, say.
    var isOrder: Bool { packed >> 31 == 1 }

    private static let text: UInt32 = 0x7FFF
    private static let textAndSeriesNumber: UInt32 = 0x7FFE

    private init(_ tree: TreeNumber, _ head: Head, isOrder: Bool) {
        let length =
            switch head {
            case .bytes(let count): UInt32(count)
            case .text: Self.text
            case .textAndSeriesNumber: Self.textAndSeriesNumber
            }
        packed = UInt32(tree.rawValue) | length << 16 | (isOrder ? 1 << 31 : 0)
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

    /// What comes before the key of the row; `nil` in `title`, where nothing does.
    var lead: KeyLead? {
        switch head {
        case .bytes(0): nil
        case .bytes(let count): .bytes(count)
        case .text: .throughZero(andBytes: 0)
        case .textAndSeriesNumber: .throughZero(andBytes: SeriesNumber.byteCount)
        }
    }

    /// Where the key of the row begins within a key; the key's end when there is none.
    func titleKeyOffset(in key: RawSpan) -> Int {
        guard let lead else { return 0 }
        return lead.byteCount(in: key) ?? key.byteCount
    }
}

extension WorkIndex: Hashable {
    static func == (left: WorkIndex, right: WorkIndex) -> Bool { left.packed == right.packed }

    func hash(into hasher: inout Hasher) { hasher.combine(packed) }
}
