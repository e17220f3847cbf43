import StorageEngine

/// What a link leads to: a kind of the app's own records, or the library's works, editions or authors.
enum LinkTarget: Hashable, Sendable {
    case works
    case editions
    case authors
    case records(String)

    /// For people: `Account`.
    var words: String {
        switch self {
        case .works: "work"
        case .editions: "edition"
        case .authors: "author"
        case .records(let kind): kind
        }
    }

    /// What the keys of the links to it begin with: a number, and the name of a kind ‖ 00.
    var key: [UInt8] {
        switch self {
        case .works: [1]
        case .editions: [2]
        case .authors: [3]
        case .records(let kind): [0] + AppRecordKey.prefix(Array(kind.utf8))
        }
    }

    /// The target that a key begins with, and where it ends.
    static func parse(_ key: [UInt8]) -> (target: LinkTarget, end: Int)? {
        switch key.first {
        case 1: return (.works, 1)
        case 2: return (.editions, 1)
        case 3: return (.authors, 1)
        case 0:
            guard let end = key.dropFirst().firstIndex(of: LibraryKey.separator),
                let kind = String(validating: key[1..<end], as: UTF8.self)
            else { return nil }
            return (.records(kind), end + 1)
        default: return nil
        }
    }
}

extension TreeReadable where Self: ~Copyable {
    /// Whether what a link leads to is there.
    func has(_ target: LinkTarget, _ id: UInt64) throws(BookError) -> Bool {
        let tree: TreeNumber? =
            switch target {
            case .works: LibraryTree.works
            case .editions: LibraryTree.editionHomes
            case .authors: LibraryTree.authors
            case .records(let kind): kindTree(kind)
            }
        guard let tree else { return false }
        return try translatingErrors { try value(forKey: id, in: tree) { _ in } != nil }
    }
}
