import Synchronization
import TestSupport
import Testing

@testable import RecordStore

struct DebouncedCommitsTests {
    private let clock = ScriptedClock()
    private let broadcast = CommitBroadcast()

    // MARK: When

    @Test func `commits are given as one when it has been quiet`() async throws {
        let made = try await Self.commits(3)
        var commits = subscribe()
        for (commit, time) in zip(made, [10, 150, 300]) { send(commit, at: time) }
        clock.passToNextEvent()
        let merged = try #require(await commits.next())
        #expect(clock.now.time == .milliseconds(500), "200 after the last")
        #expect(merged.number == made[2].number && merged.snapshot.commitNumber == made[2].number)
        #expect(merged.accounts == made.flatMap(\.accounts))
    }

    @Test func `commits that never cease are given when the first has waited long enough`() async throws {
        let made = try await Self.commits(60)
        var commits = subscribe()
        for (index, commit) in made.enumerated() { send(commit, at: 100 * index) }
        clock.passToNextEvent()
        #expect(await commits.next()?.accounts == made[...20].flatMap(\.accounts))
        #expect(clock.now.time == .seconds(2))
        clock.passToNextEvent()
        #expect(await commits.next()?.accounts == made[21...41].flatMap(\.accounts))
        #expect(clock.now.time == .milliseconds(4100), "2 s after the first of these, made at 2.1 s")
    }

    @Test func `the shorter time counts, and without any each commit is given at once`() async throws {
        let made = try await Self.commits(2)
        var commits = subscribe(for: .seconds(5), atMost: .zero)
        for commit in made {
            broadcast.send(commit)
            #expect(await commits.next()?.number == commit.number)
        }
        #expect(clock.now.time == .zero && clock.sleepCount == 0)
    }

    @Test func `a subscriber who comes back late gets what has waited, at once`() async throws {
        let made = try await Self.commits(300)
        var commits = subscribe()
        for (index, commit) in made.enumerated() { send(commit, at: index) }
        clock.pass(.seconds(60))
        #expect(await commits.next()?.accounts == made.flatMap(\.accounts))
        #expect(clock.now.time == .seconds(60) && clock.sleepCount == 0)
    }

    @Test func `a subscriber who comes back early waits for the rest of the time only`() async throws {
        let made = try await Self.commits(1)
        var commits = subscribe()
        send(made[0], at: 0)
        clock.pass(.milliseconds(150))
        #expect(await commits.next()?.number == made[0].number)
        #expect(clock.now.time == .milliseconds(200))
    }

    @Test func `a subscriber sleeps once for a single commit, and not for each of many`() async throws {
        let made = try await Self.commits(101)
        var commits = subscribe()
        send(made[0], at: 0)
        clock.passToNextEvent()
        _ = await commits.next()
        #expect(clock.sleepCount == 1)
        for (index, commit) in made[1...].enumerated() { send(commit, at: 1000 + index) }
        clock.passToNextEvent()
        #expect(await commits.next()?.accounts == made[1...].flatMap(\.accounts))
        #expect(clock.sleepCount == 3)
    }

    @Test(arguments: 1...40)
    func `of random commits none is lost, and each is given in time`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let made = try await Self.commits(40)
        let (quiet, limit) = (Int.random(in: 0...300, using: &random), Int.random(in: 0...1500, using: &random))
        var commits = subscribe(for: .milliseconds(quiet), atMost: .milliseconds(limit))
        var (times, time) = ([Int](), 0)
        for commit in made {
            time += Int.random(in: 0...(Bool.random(using: &random) ? 500 : 50), using: &random)
            times.append(time)
            send(commit, at: time)
        }
        var index = 0
        while index < made.count {
            // What the subscriber does with the last one may take any time.
            if Bool.random(using: &random) { clock.pass(.milliseconds(Int.random(in: 0...1000, using: &random))) }
            if times[index] > milliseconds { clock.passToNextEvent() }
            let begin = milliseconds
            let commit = try #require(await commits.next())
            let end = milliseconds
            let last = try #require(made.firstIndex { $0.number == commit.number })
            #expect(commit.accounts == made[index...last].flatMap(\.accounts), "seed \(seed)")
            let due = min(times[index] + limit, times[last] + quiet)
            #expect(end >= due && end <= max(begin, due), "seed \(seed)")
            #expect(last + 1 == made.count || times[last + 1] >= end, "seed \(seed): all that was made is in it")
            index = last + 1
        }
    }

    @Test func `a time of centuries traps nowhere`() async throws {
        let made = try await Self.commits(1)
        let longest = Duration.seconds(Int64.max)
        let debounced = Commits(broadcast.subscribe()).debounced(for: longest, atMost: longest)
        let waiting = Task {
            var commits = debounced.makeAsyncIterator()
            return await commits.next()?.number
        }
        broadcast.send(made[0])
        for _ in 0..<100 { await Task.yield() }
        broadcast.finish()
        #expect(await waiting.value == made[0].number)
    }

    // MARK: The beginning and the end

    @Test func `what was made before the loop began is in it, once`() async throws {
        let made = try await Self.commits(CommitSubscription.bufferCapacity * 2)
        let source = Commits(broadcast.subscribe())
        made.dropLast().forEach(broadcast.send)
        var commits = source.debounced(for: .milliseconds(200), atMost: .seconds(2), clock: clock).makeAsyncIterator()
        try broadcast.send(#require(made.last))
        #expect(await commits.next()?.accounts == made.flatMap(\.accounts))
        #expect(clock.now.time == .milliseconds(200))
    }

    @Test func `a loop that is left frees its subscription, though the sequence is kept`() async throws {
        let made = try await Self.commits(1)
        let source = Commits(broadcast.subscribe())
        broadcast.send(made[0])
        for await _ in source { break }
        #expect(broadcast.subscriberCount == 0)
        var again = source.makeAsyncIterator()
        #expect(broadcast.subscriberCount == 1)
        broadcast.send(made[0])
        #expect(await again.next()?.number == made[0].number)
    }

    @Test func `each loop is a subscriber of its own`() async throws {
        let made = try await Self.commits(1)
        let source = Commits(broadcast.subscribe())
        let debounced = source.debounced(for: .milliseconds(200), atMost: .seconds(2), clock: clock)
        var first = debounced.makeAsyncIterator(), second = debounced.makeAsyncIterator()
        var plain = source.makeAsyncIterator()
        #expect(broadcast.subscriberCount == 3)
        broadcast.send(made[0])
        #expect(await plain.next()?.number == made[0].number)
        #expect(await first.next()?.number == made[0].number)
        #expect(await second.next()?.number == made[0].number)
    }

    @Test func `when the library closes, what waits is given at once, then the end`() async throws {
        let made = try await Self.commits(2)
        var commits = subscribe()
        send(made[0], at: 0)
        send(made[1], at: 20)
        clock.at(.milliseconds(50)) { [broadcast] in broadcast.finish() }
        clock.passToNextEvent()
        #expect(await commits.next()?.accounts == made.flatMap(\.accounts))
        #expect(clock.now.time == .milliseconds(50))
        #expect(await commits.next() == nil)
        var late = subscribe()
        #expect(await late.next() == nil)
    }

    @Test func `closing a library ends a loop over it with what waits`() async throws {
        let store = try RecordLibrary.inMemory(device: 1)
        let debounced = store.commits.debounced(for: .seconds(3600), atMost: .seconds(7200))
        let reading = Task {
            var accounts: [[ID<LedgerAccount>]] = []
            for await commit in debounced { accounts.append(commit.accounts) }
            return accounts
        }
        var inserted: [ID<LedgerAccount>] = []
        for number in 0..<5 { inserted.append(try await store.insert(LedgerAccount(name: "\(number)"))) }
        try await store.close()
        #expect(await reading.value == [inserted])
    }

    @Test func `cancelling ends a loop at once, with something waiting and with nothing`() async throws {
        let made = try await Self.commits(1)
        for isPending in [true, false] {
            let (clock, broadcast) = (ScriptedClock(), CommitBroadcast())
            let debounced = Commits(broadcast.subscribe())
                .debounced(for: .milliseconds(200), atMost: .seconds(2), clock: clock)
            let (permission, begin) = AsyncStream.makeStream(of: Void.self)
            let reading = Task {
                var commits = debounced.makeAsyncIterator()
                for await _ in permission {}
                return await commits.next()?.number
            }
            if isPending { broadcast.send(made[0]) }
            clock.at(.milliseconds(50)) { reading.cancel() }
            begin.finish()
            if !isPending { clock.passToNextEvent() }
            #expect(await reading.value == nil)
            #expect(clock.now.time == .milliseconds(50))
            #expect(broadcast.subscriberCount == 0)
        }
    }

    @Test func `leaving the loop frees the subscription, while the sequence is kept`() async throws {
        let source = Commits(broadcast.subscribe())
        do {
            let commits = source.debounced(for: .zero, atMost: .zero, clock: clock).makeAsyncIterator()
            #expect(broadcast.subscriberCount == 1)
            _ = commits
        }
        #expect(broadcast.subscriberCount == 0)
        _ = source
    }

    @Test func `writers on other threads lose nothing to a loop that begins meanwhile`() async throws {
        let made = try await Self.commits(20)
        let expected = made.flatMap(\.accounts)
        for round in 0..<1000 {
            let broadcast = CommitBroadcast()
            let source = Commits(broadcast.subscribe())
            let sentCount = Mutex(0)
            let sending = Task.detached {
                for commit in made {
                    broadcast.send(commit)
                    sentCount.withLock { $0 += 1 }
                }
                broadcast.finish()
            }
            // So that the loop takes over between any two commits.
            while sentCount.withLock({ $0 }) < round % made.count { await Task.yield() }
            var accounts: [ID<LedgerAccount>] = []
            for await commit in source.debounced(for: .zero, atMost: .zero) { accounts += commit.accounts }
            #expect(accounts == expected)
            await sending.value
        }
    }

    // MARK: Pieces

    private func subscribe(
        for quiet: Duration = .milliseconds(200), atMost limit: Duration = .seconds(2)
    ) -> DebouncedCommits.AsyncIterator {
        Commits(broadcast.subscribe()).debounced(for: quiet, atMost: limit, clock: clock).makeAsyncIterator()
    }

    private func send(_ commit: Commit, at milliseconds: Int) {
        clock.at(.milliseconds(milliseconds)) { [broadcast] in broadcast.send(commit) }
    }

    /// So many, each of which inserts an account.
    private static func commits(_ count: Int) async throws -> [Commit] {
        let store = try RecordLibrary.inMemory(device: 1)
        var commits = store.commits.makeAsyncIterator()
        var made: [Commit] = []
        for number in 0..<count {
            try await store.insert(LedgerAccount(name: "\(number)"))
            try await made.append(#require(commits.next()))
        }
        return made
    }

    private var milliseconds: Int { Int(clock.milliseconds) }
}

extension Commit {
    /// The accounts that it inserted, in the order of their identifiers.
    fileprivate var accounts: [ID<LedgerAccount>] { records(LedgerAccount.self).inserted.sorted() }
}
