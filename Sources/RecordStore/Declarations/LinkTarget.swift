import StorageEngine

/// What a link leads to: a kind of the app's own records, or one that the library keeps beside those.
package enum LinkTarget: Sendable {
    case builtIn(BuiltInKind)
    case records(String)

    /// Of a number that the store knows no kind by: another module of the app does.
    case unknown(UInt8)

    /// For people: `Account`.
    var words: String {
        switch self {
        case .builtIn(let kind): kind.name
        case .records(let kind): kind
        case .unknown: "record"
        }
    }

    /// What the keys of the links to it begin with: a number, and the name of a kind ‖ 00.
    var key: [UInt8] {
        switch self {
        case .builtIn(let kind): [kind.number]
        case .records(let kind): [0] + AppRecordKey.prefix(Array(kind.utf8))
        case .unknown(let number): [number]
        }
    }

    /// The target that a key begins with, and where it ends.
    package static func parse(_ key: [UInt8], among kinds: [BuiltInKind]) -> (target: LinkTarget, end: Int)? {
        guard let number = key.first else { return nil }
        guard number == 0 else {
            return (kinds.first { $0.number == number }.map { .builtIn($0) } ?? .unknown(number), 1)
        }
        guard let end = key.dropFirst().firstIndex(of: LibraryKey.separator),
            let kind = String(validating: key[1..<end], as: UTF8.self)
        else { return nil }
        return (.records(kind), end + 1)
    }
}

/// By number and name: a kind that is not known here is the same one.
extension LinkTarget: Hashable {
    package static func == (left: LinkTarget, right: LinkTarget) -> Bool {
        switch (left, right) {
        case (.records(let kind), .records(let other)): kind == other
        default: left.number == right.number
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        if case .records(let kind) = self { hasher.combine(kind) }
    }

    /// What keys begin with; 0 for declared kinds.
    private var number: UInt8 {
        switch self {
        case .builtIn(let kind): kind.number
        case .records: 0
        case .unknown(let number): number
        }
    }
}

extension TreeReadable where Self: ~Copyable {
    /// Whether what a link leads to is there. What cannot be told is taken to be.
    package func has(_ target: LinkTarget, _ id: UInt64) throws(LibraryError) -> Bool {
        switch target {
        case .unknown: return true
        case .builtIn(let kind): return try translatingErrors { try contains(kind.key(id), in: kind.tree) }
        case .records(let kind):
            guard let tree = kindTree(kind) else { return false }
            return try translatingErrors { try value(forKey: id, in: tree) { _ in } != nil }
        }
    }
}
