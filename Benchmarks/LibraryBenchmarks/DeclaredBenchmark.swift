import BookDB
import StorageEngine

/// What books would cost if an app declared them as records, as Markdown tables: the same works in a `BookStore` and in a
/// `RecordLibrary`, measured in turn.
///
///     swift run -c release LibraryBenchmarks FOLDER --declared WORKS …
///
/// Both keep titles, authors, languages, years and series, and the reader's status, rating, day finished and tags. They keep no
/// editions and no descriptions.
struct DeclaredBenchmark {
    let folder: String
    let works: Int
    private static let loadTurns = 5

    func run() async throws {
        let invented = try await InventedBooks(works: works)
        let loaded = try await ComparedLibraries.loaded(in: folder, invented, turns: Self.loadTurns)
        let libraries = loaded.libraries
        try await libraries.compact()
        print("\(works) works, \(invented.authors.count) authors\n")
        print("| what | books | declared | declared ÷ books |")
        print("|---|---:|---:|---:|")
        loaded.times.printLines(works: works)
        let sizes = try ComparedSizes(folder: folder)
        Self.printLine("snapshot file, bytes a work", sizes.books.byteCount, sizes.declared.byteCount, unit: works)
        Self.printLine(
            "the same without match keys", sizes.booksWithoutMatchKeys, sizes.declared.byteCount, unit: works)
        try await ComparedReads(libraries: libraries).run()
        try await ComparedWrites(libraries: libraries).run()
        print("\nMedians; reads and writes in µs.\n")
        sizes.printTrees(works: works)
        try await libraries.close()
    }

    static func printLine(_ what: String, _ watches: (first: Stopwatch, second: Stopwatch)) {
        printLine(what, watches.first.median, watches.second.median, unit: 1000)
    }

    static func printLine(_ what: String, _ books: Int, _ declared: Int, unit: Int) {
        let ratio = decimal(Double(declared) / Double(books), 2)
        print(
            "| \(what) | \(decimal(Double(books) / Double(unit), 2)) | \(decimal(Double(declared) / Double(unit), 2)) | \(ratio) |"
        )
    }

    static func decimal(_ value: Double, _ places: Int) -> String {
        let scale = places == 2 ? 100.0 : 10.0
        let rounded = Int((value * scale).rounded())
        let fraction = String(rounded % Int(scale) + Int(scale)).dropFirst()
        return "\(rounded / Int(scale)).\(fraction)"
    }
}
