import BookDB
import Foundation

/// What a commit pays for being undoable, and what undoing it takes.
///
///     swift run -c release LibraryBenchmarks FOLDER --undo COMMITS …
struct UndoBenchmark {
    let count: Int

    private struct Note: Record {
        var id: BookDB.ID<Note> = .unassigned
        var text = ""
        var count = 0
        enum CodingKeys: Int, CodingKey { case id = 0, text = 1, count = 2 }
        static let indexes = [Index(\.count)]
    }

    private struct Books {
        let store: BookStore
        let notes: [BookDB.ID<Note>]
        let works: [BookDB.ID<Work>]
    }

    /// In memory, so that no device is measured: turn by turn, a hundred commits each.
    func run() async throws {
        print("\n\(count) commits in memory, microseconds each, median and 99 %\n")
        print("| a commit of | without | with | difference | undone | done again | bytes without | bytes with |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        let off = try await books(.off)
        let on = try await books(.on)
        try await compare("a field of a record", off, on) { books, number in
            try await books.store.update(books.notes[number % books.notes.count], .memory) { $0.count += 1 }
        }
        try await compare("a title", off, on) { books, number in
            try await books.store.update(books.works[number % books.works.count], .memory) { $0.title = "T \(number)" }
        }
        try await compare("a work inserted", off, on) { books, number in
            try await books.store.insert(Work("New \(number)"), .memory)
        }
        try await off.store.close()
        try await on.store.close()
    }

    private func books(_ undo: UndoKeeping) async throws -> Books {
        let store = try BookStore.inMemory(undo: undo)
        try await store.fill(withSample: 5_000)
        let notes = try await store.write { library in
            try (0..<5_000).map { try library.insert(Note(text: "A note of some words, number \($0)", count: $0)) }
        }
        store.forgetUndoable()
        return Books(store: store, notes: notes, works: store.snapshot.works.list().prefix(5_000).map(\.id))
    }

    private func compare(
        _ words: String, _ off: Books, _ on: Books, _ change: (Books, Int) async throws -> Void
    ) async throws {
        var times: [[Double]] = [[], [], [], []]
        var byteCounts = [0, 0]
        for round in 0..<max(2, count / 100) {
            for (index, books) in [off, on].enumerated() {
                await books.store.database.settle()
                let byteCount = books.store.database.status.logByteCount
                for number in 0..<100 {
                    let start = ContinuousClock.now
                    try await change(books, round * 100 + number)
                    times[index].append(start.duration(to: .now) / .microseconds(1))
                }
                await books.store.database.settle()
                // Of the first round: later ones may have a compaction between.
                if round == 0 { byteCounts[index] = (books.store.database.status.logByteCount - byteCount) / 100 }
            }
            for index in 2...3 {
                for _ in 0..<100 {
                    let start = ContinuousClock.now
                    _ = try await index == 2 ? on.store.undo(.memory) : on.store.redo(.memory)
                    times[index].append(start.duration(to: .now) / .microseconds(1))
                }
            }
        }
        let sorted = times.map { $0.sorted() }
        func median(_ index: Int) -> Double { sorted[index][sorted[index].count / 2] }
        func figures(_ index: Int) -> String {
            String(format: "%.1f, %.1f", median(index), sorted[index][sorted[index].count * 99 / 100])
        }
        print(
            "| \(words) | \(figures(0)) | \(figures(1)) | \(String(format: "%.1f", median(1) - median(0))) | "
                + "\(figures(2)) | \(figures(3)) | \(byteCounts[0]) | \(byteCounts[1]) |")
    }
}
