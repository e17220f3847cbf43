import BookDB

/// What of a library can be read, and whether it takes a change: found out by trying, as a reader of books would.
struct LibraryReach: Sendable {
    /// A part of the library, and what it gave or why it gave nothing.
    struct Part: Sendable {
        let name: String
        let result: Result<String, LibraryError>

        var isReached: Bool {
            if case .success = result { true } else { false }
        }
    }

    /// A change that was tried, and why the library did not take it.
    struct Change: Sendable {
        let name: String
        let refusal: LibraryError?
    }

    let parts: [Part]
    let changes: [Change]

    var isReadable: Bool { parts.allSatisfy(\.isReached) }
    var takesChanges: Bool { changes.allSatisfy { $0.refusal == nil } }
    var isWhole: Bool { isReadable && takesChanges }

    /// Changes the library: one work gets another title, and an account is added.
    init(of store: BookStore) async {
        let snapshot = store.snapshot
        parts = [
            Part("works by title") { () throws(LibraryError) in try Self.words(snapshot.works.list(by: .title)) },
            Part("works by author") { () throws(LibraryError) in try Self.words(snapshot.works.list(by: .author)) },
            Part("search") { () throws(LibraryError) in
                try "\(Figure.count(snapshot.works.search("the").first(Frame.rowCount).count)) found for “the”"
            },
            Part("purchases") { () throws(LibraryError) in
                try Figure.count(snapshot.list(Purchase.self, "newest").count, "purchase")
            },
        ]
        changes = [
            await Change("another title") { () async throws(LibraryError) in
                guard let first = try snapshot.works.list(by: .title).page(offset: 0, limit: 1).first else {
                    throw .recordNotFound("There is no work to change.")
                }
                try await store.update(first.id) { $0.title += " (again)" }
            },
            await Change("a new account") { () async throws(LibraryError) in
                try await store.insert(Account(name: "Savings"))
            },
        ]
    }

    private static func words(_ list: WorkItems) throws(LibraryError) -> String {
        let rows = try list.page(offset: 0, limit: Frame.rowCount)
        return "\(Figure.count(rows.count)) rows of \(Figure.count(list.count, "work"))"
    }
}

extension LibraryReach.Part {
    fileprivate init(_ name: String, _ read: () throws(LibraryError) -> String) {
        self.name = name
        do throws(LibraryError) { result = .success(try read()) } catch { result = .failure(error) }
    }
}

extension LibraryReach.Change {
    fileprivate init(_ name: String, _ make: () async throws(LibraryError) -> Void) async {
        self.name = name
        do throws(LibraryError) {
            try await make()
            refusal = nil
        } catch {
            refusal = error
        }
    }
}
