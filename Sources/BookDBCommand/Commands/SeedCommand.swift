import ArgumentParser
import BookDB

struct SeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed",
        abstract: "Makes a believable library for tests and measurements.",
        discussion: """
            bookdb seed Sample.bookdb --works 200000
            bookdb seed Sample.bookdb --works 5000 --seed 42

            The books are invented. The same number and seed give the same library.
            """
    )

    @Argument(help: "The library to make; there is none yet, or nothing was ever written to it.")
    var library: String

    @Option(help: "How many works.")
    var works: Int

    @Option(help: "Which of the many possible libraries.")
    var seed: UInt64 = 7

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (1...100_000_000).contains(works) else {
            throw ValidationError("--works is a number from 1 to 100000000, not \(works).")
        }
    }

    func run() async throws {
        let wasThere = SystemCalls.exists(library)
        guard try BookStore.canBegin(at: library) || NewLibrary.isUnused(library) else {
            throw CommandFailure(
                status: .exists, sentence: "\(library) exists; it was not touched.", next: "name a new library")
        }
        let start = ContinuousClock.now
        let progress = ProgressLine("seeding")
        let (library, works, seed) = (library, works, seed)
        let store: BookStore
        do {
            store = try await Interruption.cancelling {
                try await BookStore.seeded(at: library, works: works, seed: seed) { added in
                    progress.update(fraction: Double(added) / Double(works), NumberText.count(added, "work"))
                }
            } leaving: {
                progress.clear()
                if !wasThere { NewLibrary.removeIfEmpty(library) }
                return SystemCalls.isAbsent(library) ? "Nothing was made." : "No book came into \(library)."
            }
        } catch {
            progress.clear()
            if !wasThere { NewLibrary.removeIfEmpty(library) }
            throw error
        }
        progress.clear()
        let snapshot = store.snapshot
        let counts = try (snapshot.works.count, snapshot.editions.count, snapshot.authors.count)
        try await store.close()
        if common.json {
            var json = JSONWriter()
            json.object { json in
                json.member("schema", "bookdb.seed/1")
                json.member("library", library)
                json.member("seed", seed)
                json.member("works", counts.0)
                json.member("editions", counts.1)
                json.member("authors", counts.2)
            }
            try Output.print(json.text)
        } else {
            let time = NumberText.duration(ContinuousClock.now - start)
            let works = NumberText.count(counts.0, "work")
            let editions = NumberText.count(counts.1, "edition")
            try Output.print("\(library)  \(works), \(editions), \(NumberText.count(counts.2, "author")) in \(time)")
            StandardError.say("→ bookdb ls \(word: library)")
        }
    }
}
