import StorageEngine

/// Bytes of a library that are not what was written: where they are, what lay in them, and what to do.
public struct DamagedPlace: Sendable, Equatable {
    public let file: String

    /// Of a snapshot file, when the place is a page.
    public let page: Int?

    public let byteOffset: Int

    /// `nil` when nothing says where the damage ends.
    public let byteCount: Int?

    /// `head`, `index.app-orders` and the other indexes by name, `records.app` and other records by name, `texts`, `log`,
    /// `unused`.
    public let part: String

    /// What is wrong with the bytes: "checksum is 9f1c04aa, its parent says 11d7be02".
    public let finding: String

    /// What lies there: "the orders of the app's own records, all of it".
    public internal(set) var inside: String?

    /// Records that cannot be had back, 0 when what is lost can be made anew; `nil` when unknown.
    public internal(set) var recordsLost: Int?

    /// In words: "nothing is lost: it is made from the records, and they are all sound".
    public internal(set) var loss = ""

    /// The arguments of the `bookdb` command that puts it right, without the library: `["reindex", "--only", "app-orders"]`.
    public internal(set) var fix: [String] = []

    init(_ damage: Damage, _ part: DamagedPart, byteCount: Int?) {
        file = damage.file
        page = damage.page
        byteOffset = damage.byteOffset
        self.byteCount = byteCount
        self.part = part.name
        finding = damage.finding
    }

    /// It held what the library knows about itself.
    mutating func describeMeta(losesEntries: Bool) {
        recordsLost = 0
        loss = "no record is lost: which identifiers are taken can be told from the records"
        if losesEntries { loss += "; how it files letters is lost; see setFiling" }
    }
}

extension DamagedPlace: CustomStringConvertible {
    /// One line for everything.
    public var description: String {
        let place = page.map { "page \($0)" } ?? "byte \(byteOffset)"
        return "\(file), \(place): \(finding)" + (inside.map { "; inside \($0)" } ?? "") + "; \(loss)."
    }
}

/// What a stretch of a library's files is used for.
enum DamagedPart: Equatable {
    case head
    case index(DerivedTree)
    /// Records, or what the library knows about itself.
    ///
    /// - Parameter name: of the tree; of all declared records `app`.
    case records(TreeNumber, name: String)
    case texts
    /// What another module of the app keeps.
    case others(TreeNumber)
    case log
    case unused

    var name: String {
        switch self {
        case .head: "head"
        case .index(let tree): "index.\(tree.name)"
        case .records(_, let name): "records.\(name)"
        case .texts: "texts"
        case .others(let tree): "tree.\(tree.rawValue)"
        case .log: "log"
        case .unused: "unused"
        }
    }

    /// Whether what lay there is written nowhere else.
    var isOriginal: Bool {
        switch self {
        case .records, .texts, .log: true
        case .head, .index, .others, .unused: false
        }
    }
}
