import BookDB

/// Ways to open the library a command is about.
enum LibraryAccess {
    /// Reading takes no lock: it works while an app has the library open.
    static func reading(_ path: String) throws(BookError) -> BookStore {
        try BookStore(at: path, access: .readOnly)
    }

    /// Opens a library to change it. A mistyped path makes no new library.
    static func changing(_ path: String) throws(BookError) -> BookStore {
        guard SystemCalls.exists(path) else { throw .notFound(path: path) }
        return try BookStore(at: path)
    }

    /// Opens a library to change it, or begins a new one.
    static func changingOrCreating(_ path: String) throws(BookError) -> BookStore {
        try BookStore(at: path)
    }
}
