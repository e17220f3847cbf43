import Testing

@testable import BookDB
@testable import RecordStore

struct CommitsTests {
    @Test func `a subscriber gets every commit from its subscription on, in order`() async throws {
        try await withLibrary { store in
            try await store.add("Before")
            var commits = store.commits.makeAsyncIterator()
            var ids: [ID<Work>] = []
            for number in 0..<20 { ids.append(try await store.add("Book \(number)")) }
            for id in ids {
                let commit = try #require(await commits.next())
                #expect(commit.works.inserted == [id])
                #expect(try commit.snapshot.works[id] != nil)
            }
        }
    }

    @Test func `subscribing begins when the sequence is asked for, not when it is read`() async throws {
        try await withLibrary { store in
            let sequence = store.commits
            let id = try await store.add("Emma")
            var commits = sequence.makeAsyncIterator()
            #expect(await commits.next()?.works.inserted == [id])
        }
    }

    @Test func `each subscriber gets its own copy of every commit`() async throws {
        try await withLibrary { store in
            let sequence = store.commits
            var first = sequence.makeAsyncIterator(), second = sequence.makeAsyncIterator()
            var third = store.commits.makeAsyncIterator()
            let id = try await store.add("Emma")
            #expect(await first.next()?.works.inserted == [id])
            #expect(await second.next()?.works.inserted == [id])
            #expect(await third.next()?.works.inserted == [id])
        }
    }

    @Test func `a slow subscriber gets merged commits and misses nothing`() async throws {
        try await withLibrary { store in
            var commits = store.commits.makeAsyncIterator()
            var expected: Set<ID<Work>> = []
            for number in 0..<(CommitSubscription.bufferCapacity * 3) {
                let id = try await store.add("Book \(number)")
                // Every third goes again: of those in one merged commit nothing is left.
                if number % 3 == 0 {
                    try await store.write(.memory) { library in try library.delete(id) }
                } else {
                    expected.insert(id)
                }
            }
            var present: Set<ID<Work>> = []
            var lastNumber: UInt64 = 0
            var count = 0
            while lastNumber < store.snapshot.commitNumber {
                let commit = try #require(await commits.next())
                #expect(commit.number > lastNumber)
                lastNumber = commit.number
                present.formUnion(commit.works.inserted)
                present.subtract(commit.works.deleted)
                count += 1
            }
            #expect(count == CommitSubscription.bufferCapacity)
            #expect(present == expected)
        }
    }

    @Test func `a merged commit is the later one, with its snapshot`() async throws {
        let store = try BookStore.inMemory()
        var snapshots = [store.snapshot]
        for title in ["Emma", "Persuasion"] {
            try await store.write { library in _ = try library.insert(Work(title: title)) }
            snapshots.append(store.snapshot)
        }
        var commit = Commit(number: 1, snapshot: snapshots[1], changes: LibraryChanges())
        commit.merge(Commit(number: 2, snapshot: snapshots[2], changes: LibraryChanges()))
        #expect(commit.number == 2 && commit.snapshot.commitNumber == 2)
        #expect(try commit.snapshot.works.count == 2)
    }

    @Test func `merged changes cancel out`() {
        let id = ID<Work>(device: 1, counter: 1)
        func merged(_ steps: ((inout Changes<Work>) -> Void)...) -> Changes<Work> {
            steps.reduce(into: Changes<Work>()) { changes, step in
                var later = Changes<Work>()
                step(&later)
                changes.merge(later)
            }
        }
        #expect(merged({ $0.insert(id) }, { $0.delete(id) }).isEmpty)
        #expect(merged({ $0.insert(id) }, { $0.update(id) }).inserted == [id])
        #expect(merged({ $0.insert(id) }, { $0.update(id) }).updated.isEmpty)
        #expect(merged({ $0.update(id) }, { $0.delete(id) }).deleted == [id])
        #expect(merged({ $0.update(id) }, { $0.delete(id) }).updated.isEmpty)
        #expect(merged({ $0.delete(id) }, { $0.insert(id) }).updated == [id])
        #expect(merged({ $0.delete(id) }, { $0.insert(id) }, { $0.delete(id) }).deleted == [id])
        #expect(merged({ $0.delete(id) }, { $0.insert(id) }, { $0.delete(id) }).updated.isEmpty)
    }

    @Test func `a waiting subscriber is woken by the commit, and by closing`() async throws {
        let store = try BookStore.inMemory(device: 1)
        let sequence = store.commits
        let counted = Task {
            var count = 0
            for await _ in sequence { count += 1 }
            return count
        }
        for number in 0..<5 { try await store.add("Book \(number)") }
        try await store.close()
        #expect(await counted.value == 5)
        var late = store.commits.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func `a cancelled subscriber ends and frees its slot`() async throws {
        try await withLibrary { store in
            let sequence = store.commits
            let task = Task {
                for await _ in sequence {}
                return true
            }
            await Task.yield()
            task.cancel()
            #expect(await task.value)
            #expect(store.broadcast.subscriberCount == 0)
        }
    }

    @Test func `a dropped subscriber frees its slot`() async throws {
        try await withLibrary { store in
            do {
                let sequence = store.commits
                #expect(store.broadcast.subscriberCount == 1)
                _ = sequence
            }
            #expect(store.broadcast.subscriberCount == 0)
        }
    }

    @Test func `a change of status is a change of the entry, not of the work`() async throws {
        try await withLibrary { store in
            let id = try await store.add("Emma")
            var commits = store.commits.makeAsyncIterator()
            try await store.updateEntry(of: id) { $0.status = .read }
            try await store.updateEntry(of: id) { $0.status = .paused }
            try await store.write { library in try library.delete(id) }
            let begun = try #require(await commits.next())
            #expect(begun.entries.inserted == [id] && begun.works.isEmpty)
            #expect(await commits.next()?.entries.updated == [id])
            let deleted = try #require(await commits.next())
            #expect(deleted.entries.deleted == [id] && deleted.works.deleted == [id])
        }
    }

    @Test func `writing what is there already makes no commit`() async throws {
        try await withLibrary { store in
            let id = try await store.add("Emma", by: "Jane Austen", status: .read)
            let number = store.snapshot.commitNumber
            try await store.update(id) { $0.title = "Emma" }
            try await store.updateEntry(of: id) { $0.status = .read }
            #expect(store.snapshot.commitNumber == number)
        }
    }
}
