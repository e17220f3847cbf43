import BookDB
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The example of the README, compiled and run. A line that is changed there has to be changed here.
@Suite struct ReadmeTests {
    @Test func `the example of the README compiles, runs and is the README's`() async throws {
        let store = try BookStore.inMemory()

        let hobbit = try await store.write { library in
            let tolkien = try library.insert(Author("J. R. R. Tolkien"))
            let work = try library.insert(Work("The Hobbit", by: tolkien, year: 1937))
            try library.set(UserLibraryEntry(for: work, status: .read, rating: Rating(stars: 4.5)))
            return work
        }

        let now = store.snapshot
        for item in now.works.list(by: .title, .status(.read)).prefix(50) {
            #expect((item.title, item.authors, item.year ?? 0) == ("The Hobbit", "J. R. R. Tolkien", 1937))
        }
        let page = try now.works.list(by: .author).page(offset: 500_000, limit: 50)
        let best = now.works.list(by: .rating) { $0.year >= 1990 && $0.tag("sf") && $0.language == "fr" }.prefix(10)
        let strip = try now.works.list(by: .title).sections
        let place = try now.works.list().index(of: hobbit)
        let found = try now.works.search("tolkein hob").first(50)
        let counts = try now.works.statusCounts
        let whole = try now.works.details(isbn: ISBN("978-0-261-10221-7"))

        #expect(Array(best).isEmpty && strip.map(\.label) == ["H"])
        #expect(page.isEmpty && place == 0 && found.count == 1 && counts[.read] == 1 && whole.isEmpty)

        let listener = Task {
            for await commit in store.commits {
                #expect(commit.works.inserted.isEmpty && commit.works.deleted.isEmpty)
            }
        }
        try await store.close()
        await listener.value
        try compareWithReadme()
    }

    private func compareWithReadme() throws {
        let readme = try text(repositoryFile("README.md"))
        let block = try #require(readme.split(separator: "```swift").dropFirst().first?.split(separator: "```").first)
        let here = try text(#filePath)
        for line in block.split(separator: "\n") {
            let code = line.split(separator: "//", omittingEmptySubsequences: false).first.map(String.init) ?? ""
            let trimmed = code.split(separator: " ").joined(separator: " ")
            // What differs on purpose: where the library lies, what is printed, and who listens.
            guard !trimmed.isEmpty, !trimmed.hasPrefix("print"), !trimmed.contains("BookStore(at:"),
                !trimmed.hasPrefix("Task")
            else { continue }
            #expect(here.contains(trimmed), "the README says: \(trimmed)")
        }
    }

    private func repositoryFile(_ name: String) -> String {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        while parts.count > 1, access((parts + [Substring(name)]).joined(separator: "/"), F_OK) != 0 {
            parts.removeLast()
        }
        return (parts + [Substring(name)]).joined(separator: "/")
    }

    private func text(_ path: String) throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
