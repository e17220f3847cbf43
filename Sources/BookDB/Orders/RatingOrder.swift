import RecordStore
import StorageEngine

extension WorkOrder {
    /// Best first.
    public static let rating = WorkOrder("rating", .order(LibraryTree.ratingOrder, head: .bytes(1)))
}

extension LibraryTree {
    /// Rating, inverted so that the best come first ‖ key in `title` → nothing.
    static let ratingOrder = TreeNumber(18)
}

extension WorkIndexDefinition {
    static let ratingOrder = WorkIndexDefinition(
        index: WorkOrder.rating.index, name: "rating-order", words: "the order by rating", letter: "r", order: .rating,
        needs: [.entry],
        firstKeyWithoutValue: [0xFF],
        addKeys: { work, keys in
            let head = work.entry?.rating.map { 20 - $0.quarterStars } ?? 0xFF
            keys.add(WorkOrder.rating.index) { $0.append(head) }
        },
        heading: { key, _ in
            guard let byte = key.first, byte <= 20, let rating = Rating(quarterStars: 20 - byte) else { return .none }
            return SectionHeading(label: rating.description, upperBound: LibraryKey.end(ofPrefix: [byte]))
        },
        word: { _ in nil })
}
