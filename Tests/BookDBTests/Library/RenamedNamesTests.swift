import LibrarySupport
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// Tags, series and authors that get another name.
struct RenamedNamesTests {
    @Test(arguments: [UInt64(1), 2, 3])
    func `random tags and series are renamed and deleted as a model does it`(seed: UInt64) async throws {
        let seed = SeededGenerator.seed(for: "random names", fallback: seed)
        var random = SeededGenerator(seed: seed)
        let names = ["Sci-Fi", "sci fi", "SciFi", "Été", "ete", "#1", "#2", "古典", "Discworld", "discworld"]
        try await withLibrary { store in
            var model: [ID<Work>: (tags: [String], series: [SeriesMembership])] = [:]
            for number in 0..<40 {
                let tags = names.filter { _ in random.oneIn(3) }
                let series = names.filter { _ in random.oneIn(3) }.prefix(2).map {
                    SeriesMembership(name: $0, number: "\(number)")
                }
                let id = try await store.write(.memory) { library in
                    var work = Work("Work \(number)")
                    work.series = Array(series)
                    let id = try library.insert(work)
                    try library.set(UserLibraryEntry(for: id, tags: tags))
                    return id
                }
                model[id] = (tags, Array(series))
            }
            for _ in 0..<12 {
                let old = random.pick(names)!
                let new = random.oneIn(4) ? nil : random.pick(names + ["New name", "new-name"])!
                let isTag = random.oneIn(2)
                let count = try await store.write(.memory) { library in
                    switch (isTag, new) {
                    case (true, let new?): try library.renameTag(old, to: new)
                    case (true, nil): try library.deleteTag(old)
                    case (false, let new?): try library.renameSeries(old, to: new)
                    case (false, nil): try library.deleteSeries(old)
                    }
                }
                let key = LibraryKey.namePrefix(old)
                let isExact = model.values.contains { $0.tags.contains(old) }
                func isOld(_ tag: String) -> Bool { isExact ? tag == old : LibraryKey.namePrefix(tag) == key }
                func isNew(_ tag: String) -> Bool {
                    guard let new else { return false }
                    let key = LibraryKey.namePrefix(tag)
                    return tag == new
                        || key == LibraryKey.namePrefix(new) && key != LibraryKey.namePrefix(old)
                            && tag.filter(\.isSign) == new.filter(\.isSign)
                }
                var expected = 0
                for (id, work) in model {
                    if isTag, work.tags.contains(where: isOld) {
                        expected += 1
                        let first = work.tags.firstIndex { isOld($0) || isNew($0) }!
                        var tags = work.tags.filter { !isOld($0) && !isNew($0) }
                        if let new { tags.insert(isOld(work.tags[first]) ? new : work.tags[first], at: first) }
                        model[id]?.tags = tags
                    }
                    if !isTag, work.series.contains(where: { LibraryKey.namePrefix($0.name) == key }) {
                        expected += 1
                        model[id]?.series = work.series.compactMap { series in
                            guard LibraryKey.namePrefix(series.name) == key else { return series }
                            return new.map { SeriesMembership(name: $0, number: series.number) }
                        }
                    }
                }
                #expect(count == expected, "BOOKDB_SEED=\(seed): \(old) to \(new ?? "nothing")")
            }
            for (id, work) in model {
                #expect(try store.snapshot.entries[id]?.tags == work.tags, "BOOKDB_SEED=\(seed)")
                #expect(try store.snapshot.works[id]?.series == work.series, "BOOKDB_SEED=\(seed)")
            }
        }
    }

    @Test func `a tag that is renamed to what others are but for their signs leaves them`() async throws {
        try await withLibrary { store in
            for (tags, renamed) in [
                (["sharp", "C++"], ["C#", "C++"]), (["C++", "sharp"], ["C++", "C#"]),
                (["C++", "C", "sharp"], ["C++", "C", "C#"]), (["c#", "sharp", "C♯"], ["c#", "C♯"]),
            ] {
                let work = try await store.write { library in
                    let work = try library.insert(Work("A"))
                    try library.set(UserLibraryEntry(for: work, tags: tags))
                    return work
                }
                #expect(try await store.write { try $0.renameTag("sharp", to: "C#") } == 1)
                #expect(try store.snapshot.entries[work]?.tags == renamed)
            }
        }
    }

    @Test func `a tag is renamed or deleted, and no other goes with it`() async throws {
        let store = try BookStore.inMemory()
        let tags = [
            "C++", "C#", "to-read", "TBR", String(repeating: "k", count: 300) + "1",
            String(repeating: "k", count: 300) + "2",
        ]
        let id = try await store.write { library in
            let id = try library.insert(Work(title: "Programming"))
            var entry = UserLibraryEntry(for: id)
            entry.tags = tags
            try library.set(entry)
            return id
        }
        try await store.write { library in _ = try library.renameTag("to-read", to: "tbr") }
        #expect(try store.snapshot.entries[id]?.tags == ["C++", "C#", "tbr"] + tags.suffix(2))
        try await store.write { library in _ = try library.deleteTag("TBR") }
        #expect(try store.snapshot.entries[id]?.tags == ["C++", "C#"] + tags.suffix(2))
    }

    /// All of those that are alike without their signs went with it.
    @Test func `a tag that some work has as it is given is renamed alone, and one that none has by what it is like`()
        async throws
    {
        try await withLibrary { store in
            let (one, other) = try await store.write { library in
                let (one, other) = (try library.insert(Work("A")), try library.insert(Work("B")))
                try library.set(UserLibraryEntry(for: one, tags: ["C++", "C#", "C"]))
                try library.set(UserLibraryEntry(for: other, tags: ["c", "C#"]))
                return (one, other)
            }
            func tags() throws -> [[String]?] {
                [try store.snapshot.entries[one]?.tags, try store.snapshot.entries[other]?.tags]
            }
            #expect(try await store.write { try $0.renameTag("C++", to: "Cpp") } == 1)
            #expect(try tags() == [["Cpp", "C#", "C"], ["c", "C#"]])
            #expect(try await store.write { try $0.deleteTag("C") } == 1)
            #expect(try tags() == [["Cpp", "C#"], ["c", "C#"]])
            #expect(try await store.write { try $0.renameTag("C#", to: "c") } == 2)
            #expect(try tags() == [["Cpp", "c"], ["c"]], "the new name is there once")
            #expect(try await store.write { try $0.deleteTag("C!") } == 2, "as it is like none exactly")
            #expect(try tags() == [["Cpp"], []])
            expectSound(store.snapshot)
        }
    }

    @Test func `a tag is spelt anew, and a name of nothing is refused and changes nothing`() async throws {
        try await withLibrary { store in
            let id = try await store.add("Emma")
            try await store.updateEntry(of: id) { $0.tags = ["sf"] }
            let counts = try await store.write { library in
                let renamed = try library.renameTag("SF", to: "Science fiction")
                #expect(throws: LibraryError.self) { try library.renameTag("science fiction", to: "  ") }
                #expect(throws: LibraryError.self) { try library.renameSeries("Discworld", to: "\n") }
                return [renamed, try library.renameTag("not there", to: "x")]
            }
            #expect(counts == [1, 0])
            #expect(try store.snapshot.works.tags.map(\.name) == ["Science fiction"])
            #expect(store.snapshot.works.list(.tag("science FICTION")).titles == ["Emma"])
        }
    }

    /// It was found out when some works had been changed already, and nothing could be written behind it.
    @Test func `a name that does not fit is refused, and the transaction goes on`() async throws {
        let store = try BookStore.inMemory()
        let id = try await store.write { library in
            let id = try library.insert(Work(title: "Emma", series: [SeriesMembership(name: "Jane")]))
            try library.set(UserLibraryEntry(for: id, tags: ["sf"]))
            return id
        }
        let long = String(repeating: "x", count: 17 << 20)
        try await store.write { library in
            #expect(throws: LibraryError.self) { try library.renameTag("sf", to: long) }
            #expect(throws: LibraryError.self) { try library.renameSeries("Jane", to: long) }
            _ = try library.insert(Work(title: "Other"))
        }
        #expect(try store.snapshot.works.count == 2)
        #expect(try store.snapshot.works[id]?.series.map(\.name) == ["Jane"])
        #expect(try store.snapshot.works.tags.map(\.name) == ["sf"])
        try await store.close()
    }

    /// Its section had no end, and a day that cannot be told from none.
    @Test func `a day before all years is no day on which a work was finished`() async throws {
        let store = try BookStore.inMemory()
        let id = try await store.write { library in try library.insert(Work(title: "Emma")) }
        let first = try #require(Day(year: -5_877_000, month: 1, day: 1))
        for day in [Day(daysSince1970: .min), Day(daysSince1970: .min + 1)] {
            await #expect(throws: LibraryError.self) {
                try await store.write { library in try library.set(UserLibraryEntry(for: id, dateFinished: day)) }
            }
        }
        for day in [first, Day(daysSince1970: .max)] {
            try await store.write { library in try library.set(UserLibraryEntry(for: id, dateFinished: day)) }
            let sections = try store.snapshot.works.list(by: .finished).sections
            #expect(sections.map(\.label) == [String(day.year)])
        }
        try await store.close()
    }

    @Test func `a sort name that follows from the name changes with it, and one that was given stays`() async throws {
        try await withLibrary { store in
            let (derived, given) = try await store.write { library in
                (
                    try library.insert(Author("Charles Dodgson")),
                    try library.insert(Author("Lewis Carroll", sortName: "Carroll, L."))
                )
            }
            let (emma, other) = (
                try await store.add("Emma", by: "Charles Dodgson"), try await store.add("Alice", by: "Lewis Carroll")
            )
            var commits = store.commits.makeAsyncIterator()
            try await store.write { library in
                for id in [derived, given] {
                    guard var author = try library.author(id) else { continue }
                    author.name = "Jane Austen"
                    try library.update(author)
                }
            }
            #expect(try store.snapshot.authors[derived]?.sortName == "Austen, Jane")
            #expect(try store.snapshot.authors[given]?.sortName == "Carroll, L.")
            let commit = await commits.next()
            #expect(commit?.rows.updated == [emma, other] && commit?.works.isEmpty == true)
            // Another sort name that comes with another name is taken as it is.
            try await store.write { library in
                guard var author = try library.author(derived) else { return }
                (author.name, author.sortName) = ("J. Austen", "AUSTEN")
                try library.update(author)
            }
            #expect(try store.snapshot.authors[derived]?.sortName == "AUSTEN")
        }
    }

    @Test func `the rows of a commit are those that lists show otherwise`() async throws {
        try await withLibrary { store in
            let (first, second) = (try await store.add("Emma"), try await store.add("Persuasion"))
            var commits = store.commits.makeAsyncIterator()
            let third = try await store.write { library in
                _ = try library.delete(first)
                try library.set(UserLibraryEntry(for: second, status: .read))
                let third = try library.insert(Work("Sanditon"))
                try library.set(UserLibraryEntry(for: third, status: .reading))
                return third
            }
            let rows = await commits.next()?.rows
            #expect(rows?.inserted == [third] && rows?.updated == [second] && rows?.deleted == [first])
        }
    }

    @Test func `a review that cannot be read keeps no tag from being renamed, and stays as it is`() async throws {
        let library = try await DamageableLibrary.make(works: 4)
        var store = try library.open()
        let id = try #require(store.snapshot.works.list().first?.id)
        try await store.updateEntry(of: id) { entry in
            entry.tags = ["old"]
            entry.review = String(repeating: "unreadable ", count: 200)
        }
        try await store.compact()
        try await store.close()
        try library.flip("unreadable")
        store = try library.open()
        await #expect(throws: LibraryError.self) { try await store.updateEntry(of: id) { $0.tags = ["new"] } }
        try await store.write { library in _ = try library.renameTag("OLD", to: "new") }
        #expect(store.snapshot.works.list(.tag("new")).map(\.id) == [id])
        #expect(throws: LibraryError.self) { try store.snapshot.entries[id] }
        try await store.close()
    }

    @Test func `a name of nothing is refused also where no work has the old one`() async throws {
        try await withLibrary { store in
            let error = await libraryError { try await store.write { _ = try $0.renameTag("nobody's", to: " ") } }
            #expect(error?.isOfData == true)
        }
    }

    @Test func `rows of commits that are merged name no work that is gone`() async throws {
        try await withLibrary { store in
            var commits = store.commits.makeAsyncIterator()
            try await store.write { library in
                let author = try library.insert(Author("Jane Austen"))
                let work = try library.insert(Work("Emma", by: author))
                guard var renamed = try library.author(author) else { return }
                renamed.name = "J. Austen"
                try library.update(renamed)
                _ = try library.delete(work)
            }
            #expect(await commits.next()?.rows.isEmpty == true)
        }
    }

    @Test func `of names that are alike for a hundred bytes one is changed, and the other is left`() async throws {
        try await withLibrary { store in
            let (one, other) = (String(repeating: "長い名前", count: 12) + "一", String(repeating: "長い名前", count: 12) + "二")
            let id = try await store.write { library in
                let id = try library.insert(
                    Work(title: "A", series: [SeriesMembership(name: one), SeriesMembership(name: other)]))
                try library.set(UserLibraryEntry(for: id, tags: [one, other]))
                return id
            }
            let counts = try await store.write { library in
                [
                    try library.deleteTag(one), try library.renameSeries(other, to: "B"),
                    try library.renameSeries(other, to: "C"),
                ]
            }
            #expect(counts == [1, 1, 0])
            #expect(try store.snapshot.entries[id]?.tags == [other])
            #expect(try store.snapshot.works[id]?.series.map(\.name) == [one, "B"])
            expectSound(store.snapshot)
        }
    }

    @Test func `works that a tag is only like are neither counted nor told of`() async throws {
        try await withLibrary { store in
            let (one, other) = (String(repeating: "長い名前", count: 12) + "一", String(repeating: "長い名前", count: 12) + "二")
            let (first, second) = try await store.write { library in
                let (first, second) = (try library.insert(Work("A")), try library.insert(Work("B")))
                try library.set(UserLibraryEntry(for: first, tags: [one]))
                try library.set(UserLibraryEntry(for: second, tags: [other]))
                return (first, second)
            }
            var commits = store.commits.makeAsyncIterator()
            #expect(try await store.write { try $0.deleteTag(one) } == 1)
            #expect(try store.snapshot.entries[first]?.tags == [] && store.snapshot.entries[second]?.tags == [other])
            #expect(await commits.next()?.entries.updated == [first])
            expectSound(store.snapshot)
        }
    }

    @Test func `names of nothing but signs are one whatever lies between the signs`() async throws {
        try await withLibrary { store in
            let id = try await store.write { library in
                let id = try library.insert(Work("A"))
                try library.set(UserLibraryEntry(for: id, tags: ["+ +", "c"]))
                return id
            }
            #expect(try await store.write { try $0.deleteTag("++") } == 1)
            #expect(try store.snapshot.entries[id]?.tags == ["c"])
            expectSound(store.snapshot)
        }
    }
}

extension Character {
    fileprivate var isSign: Bool { isPunctuation || isSymbol }
}
