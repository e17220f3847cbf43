/// Where the end of a value lies that others of its page end with, too. `Formats/SNAPSHOT.md` draws it.
enum SharedEndField {
    /// Within the page.
    static let offset = Field<UInt16>("offset", at: 0)
    static let count = Field<UInt8>("count", at: 2)

    static var all: FieldTable { FieldTable(offset, count) }

    static let end = 3
}
