@testable import BookDB
@testable import RecordStore

extension FuzzTarget {
    /// Whatever lines say, each is taken or refused by itself. What was taken is sound, is known when it comes again, and makes the same library of the
    /// lines that it is given out as.
    static let lines = FuzzTarget(
        name: "lines", summary: "lines of an export, changed: taken in, taken in again, given out to another library",
        byteLimit: 512,
        check: .later { bytes in
            var reader = ByteReader(bytes)
            let mode = reader.byte()
            var lines: [String]
            if mode == 255 {
                lines = String(decoding: reader.remainder(), as: UTF8.self).split(separator: "\n").map(String.init)
            } else {
                var forgery = LineForgery(try await template())
                forgery.change(&reader)
                lines = forgery.lines
            }
            let knowsTypes = mode & 1 == 1
            let store = try BookStore.inMemory(device: 9)
            let report = try await take(lines, into: store, knowsTypes)
            let count = lines.count { $0.utf8.contains { $0 > 0x20 } }
            try claim(
                report.inserted + report.known + report.refused == count, "\(report) of \(count) lines")
            try claim(LibraryVerifier.verify(store.snapshot).isSound, "verify finds fault with what was taken")
            // Records whose kind comes behind them are taken the second time.
            _ = try await take(lines, into: store, knowsTypes)
            let out = try exported(store)
            let again = try await take(lines, into: store, knowsTypes)
            try claim(try exported(store) == out, "the same lines once more changed the library: \(again)")
            let copy = try BookStore.inMemory(device: 10)
            let copied = try await take(out, into: copy, knowsTypes)
            try claim(copied.refused == 0, "what was given out is refused: \(copied.refusals.prefix(3))")
            try claim(try exported(copy) == out, "what was given out makes another library")
            try claim(LibraryVerifier.verify(copy.snapshot).isSound, "verify finds fault with the other library")
            try await store.close()
            try await copy.close()
        })
}

private func take(_ lines: [String], into store: BookStore, _ knowsTypes: Bool) async throws -> LineImport {
    guard knowsTypes else { return try await store.importLines(lines) }
    return try await store.importLines(lines, FuzzSchema.Purse.self, FuzzSchema.Label.self, FuzzSchema.Move.self)
}

private func exported(_ store: BookStore) throws -> [String] {
    var lines: [String] = []
    try store.snapshot.export { lines.append($0) }
    return lines
}

/// The lines of a small library of books and an app's records.
private func template() async throws -> [String] { try await making.value }

private let making = Task {
    let store = try BookStore.inMemory(device: 7)
    try await store.write { library in
        let author = try library.insert(Author("Ursula K. Le Guin"))
        let other = try library.insert(Author("Jane Austen"))
        var works: [ID<Work>] = []
        for (title, author) in [("The Dispossessed", author), ("Pride and Prejudice", other)] {
            var work = Work(title, by: author, year: 1974, language: "en")
            work.added = Milliseconds(since1970: 5)
            works.append(try library.insert(work))
        }
        _ = try library.insert(Edition(of: works[0], title: "An edition", pageCount: 300))
        try library.set(UserLibraryEntry(for: works[1], status: .read, notes: "Notes"))
    }
    let purses = [
        try await store.insert(FuzzSchema.Purse(name: "a")), try await store.insert(FuzzSchema.Purse(name: "b")),
    ]
    let label = try await store.insert(FuzzSchema.Label())
    let below = try await store.insert(FuzzSchema.Label(parent: label))
    try await store.insert(
        FuzzSchema.Move(
            from: purses[0], to: purses[1], date: Day(daysSince1970: 19_000), sent: 5, received: 5, note: "Note",
            tags: ["x", "y"], labels: [label, below], parts: [FuzzSchema.Move.Part(kind: 1, text: "part", share: 2)]))
    let lines = try exported(store)
    try await store.close()
    return lines
}
