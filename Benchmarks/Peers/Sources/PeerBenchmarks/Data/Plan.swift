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
    /// Titles that works are given when they are changed.
    var newTitles: [FiledTitle] = []
    /// As typed, and as the keys of the works that begin with it do.
    var prefix: String
    var prefixKey: [UInt8]
    var isFromSample = true

    static let anchorCount = 1000

    /// In invented titles: common, less so, nowhere, rare, the name of authors, two letters, and nowhere.
    static let needles = ["the", "night", "harry", "zanz", "edith", "ou", "qxqxqx"]
    static let counted = "the"
    /// Found by title and by author; each is in fifty works and more of ten thousand.
    static let rankedNeedles = ["the", "night", "edith"]
    /// Read: the status of most works that have one.
    static let status = 3

    /// How many of an app's own records there are.
    var sessionCount: Int { max(1000, workCount / 10) }

    var middle: Anchor { anchors[anchors.count / 2] }

    static func load(_ folder: String) throws -> Plan {
        try JSONDecoder().decode(Plan.self, from: Data(contentsOf: URL(filePath: folder + "/plan.json")))
    }

    func save(_ folder: String) throws {
        try JSONEncoder().encode(self).write(to: URL(filePath: folder + "/plan.json"))
    }

    /// Another title for one of the works, which files it elsewhere; a different one for each number.
    func renaming(_ number: Int) -> Renaming {
        let anchor = anchors[number % anchors.count]
        let filed = newTitles[(number * 7919 + number / anchors.count) % newTitles.count]
        let title = "\(filed.title) \(number)"
        return Renaming(
            id: anchor.id, title: title, place: filed.place(numbered: number),
            key: filed.key + withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) },
            text: SearchText.fold([title, anchor.authors]))
    }
}

/// The numbers of the changed titles that each group of measurements makes: none makes another's.
enum RenamingNumbers {
    static func write(round: Int) -> Int { round * 100 }
    static func compaction(round: Int) -> Int { 1000 + round }
    static let busy = 2000
    static func uncached(round: Int) -> Int { 90_000 + round * 100 }
    static let crash = 100_000
    static let launch = 300_000
}
