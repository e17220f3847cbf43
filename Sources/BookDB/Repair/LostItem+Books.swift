import RecordStore
import StorageEngine

extension LostItem.Kind {
    public static let work = LostItem.Kind(rawValue: "work")
    public static let edition = LostItem.Kind(rawValue: "edition")
    public static let author = LostItem.Kind(rawValue: "author")
    public static let entry = LostItem.Kind(rawValue: "entry")

    /// A description, notes or a review.
    public static let text = LostItem.Kind(rawValue: "text")
}
