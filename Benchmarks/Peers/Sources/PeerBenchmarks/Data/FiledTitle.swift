/// A title that no work has yet, and where it files.
struct FiledTitle: Codable, Sendable {
    let title: String
    /// The place of the row before it in the library's list.
    let placeBefore: Int64
    /// Counts the new titles after the same row, from 1.
    let number: Int64
    let key: [UInt8]

    /// Behind each row the first so many places are for new books, the rest for changed titles.
    private static let mostNewBooks: Int64 = 1 << 14

    var place: Int64 { placeBefore + number }

    /// Where the title files with a number at its end; no other number has that place.
    func place(numbered number: Int) -> Int64 { placeBefore + Self.mostNewBooks + Int64(number) }
}
