import Foundation

/// What the stores of one run are asked and told, the same for all of them and in every process.
struct Plan: Codable, Sendable {
    var workCount: Int
    /// Of the compacted library.
    var storeByteCount = 0
    /// Of the works under `status`.
    var statusCount = 0
    /// Rows evenly spaced in title order.
    var anchors: [Anchor]
    var author: AuthorRecord
    /// As typed, and as the keys of the works that begin with it do.
    var prefix: String
    var prefixKey: [UInt8]
    var isFromSample = true

    static let anchorCount = 1000

    /// In invented titles: common, less so, a name, rare, two letters, and nowhere.
    static let needles = ["the", "night", "harry", "zanz", "ou", "qxqxqx"]
    static let counted = "the"
    /// Read: the status of most works that have one.
    static let status = 3

    var middle: Anchor { anchors[anchors.count / 2] }

    static func load(_ folder: String) throws -> Plan {
        try JSONDecoder().decode(Plan.self, from: Data(contentsOf: URL(filePath: folder + "/plan.json")))
    }

    func save(_ folder: String) throws {
        try JSONEncoder().encode(self).write(to: URL(filePath: folder + "/plan.json"))
    }

    /// A work that no store has yet, with no edition and no entry; another for each number.
    func newBook(_ number: Int) -> Book {
        let anchor = anchors[number % anchors.count]
        let id = Int64(number + 1)
        let title = "New Book \(number)"
        let row = ListRow(
            id: id, title: title, authors: author.name, coverURL: nil, year: 2000, status: 0, rating: nil)
        let work = WorkRecord(
            id: id, title: title, subjects: [], series: [], review: 0, added: 1_700_000_000_000, authors: [author.id])
        return Book(
            place: anchor.place + 1 + Int64(number), key: anchor.key + Self.bytes(number), row: row,
            text: SearchText.fold([title, author.name]), newAuthors: [], work: work, editions: [], entry: nil)
    }

    /// Another title for one of the works.
    func renaming(_ number: Int) -> Renaming {
        let anchor = anchors[number % anchors.count]
        let title = anchor.title + "!\(number)"
        return Renaming(
            id: anchor.id, title: title, place: anchor.place + 300_000 + Int64(number),
            key: anchor.key + Self.bytes(number),
            text: SearchText.fold([title, anchor.authors]))
    }

    private static func bytes(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } }
}
