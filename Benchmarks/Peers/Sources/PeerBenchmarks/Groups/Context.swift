/// Where a process measures, and which of the rounds this is.
struct Context {
    let folder: String
    let plan: Plan
    var round = 0
    var operations: Int?

    /// The folder of a store's own, with nothing else in it.
    static func home(_ folder: String, _ kind: Home, _ key: String) -> String { "\(folder)/\(kind.rawValue)/\(key)" }

    func home(_ kind: Home, _ type: any Peer.Type) -> FileTree {
        FileTree(path: Self.home(folder, kind, type.key))
    }

    func open<Store: Peer>(_ type: Store.Type, _ kind: Home, _ access: Access) throws -> Store {
        let home = home(kind, type)
        try home.make()
        return try Store(path: home.path + "/store", access: access)
    }
}

enum Home: String {
    /// What is only read.
    case stores
    /// A copy to write to.
    case copies
    case imports
    /// An app's own records.
    case sessions
    /// As a power cut would have left it.
    case crashed
}
