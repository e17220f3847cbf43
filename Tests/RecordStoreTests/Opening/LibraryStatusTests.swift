import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// What an app shows of how its library fares.
struct LibraryStatusTests {
    private typealias Words = LibraryStatus.Words
    private static let full = LibraryError.diskFull(path: "A.bookdb")
    private static let rot = Damage(file: "snapshot-1", byteOffset: 4_096, finding: "the checksum is wrong")

    private static func status(of health: RecordLibrary.Health) -> LibraryStatus {
        var schedule = LibraryStatusSchedule()
        return schedule.status(of: health, at: .seconds(7), .english).status
    }

    // MARK: Waiting

    @Test func `an opening shows nothing for a second, then words, and after three a bar as well`() {
        var schedule = LibraryStatusSchedule()
        func status(at milliseconds: Int, _ fraction: Double) -> (status: LibraryStatus, changesAt: Duration?) {
            schedule.status(of: .opening(fraction: fraction), at: .milliseconds(5_000 + milliseconds), .english)
        }
        let words = Words(title: "Opening the library")
        #expect(status(at: 0, 0) == (.nothing, .seconds(6)))
        #expect(status(at: 999, 0.1) == (.nothing, .seconds(6)))
        #expect(status(at: 1_000, 0.2) == (.waiting(words), .seconds(8)))
        #expect(status(at: 2_999, 0.3) == (.waiting(words), .seconds(8)))
        #expect(status(at: 3_000, 0.4) == (.progress(words, fraction: 0.4), nil))
        #expect(status(at: 90_000, 1.5) == (.progress(words, fraction: 1), nil))
    }

    @Test func `an upgrade after a long opening keeps the bar, and the next wait begins with nothing`() {
        var schedule = LibraryStatusSchedule()
        func status(of health: RecordLibrary.Health, at seconds: Int) -> LibraryStatus {
            schedule.status(of: health, at: .seconds(seconds), .english).status
        }
        #expect(status(of: .opening(fraction: 0), at: 0) == .nothing)
        #expect(status(of: .opening(fraction: 1), at: 4) != .nothing)
        guard case .progress(let words, fraction: nil) = status(of: .upgrading(fraction: nil), at: 5) else {
            Issue.record("no bar")
            return
        }
        #expect(words.title == "Updating the library" && words.detail?.contains("another version") == true)
        guard case .progress(let ownWords, fraction: 0.5) = status(of: .upgrading(fraction: 0.5), at: 6) else {
            Issue.record("no bar for new orders")
            return
        }
        #expect(ownWords.detail == "New lists are being made.")
        #expect(status(of: .ready, at: 6) == .nothing)
        #expect(status(of: .upgrading(fraction: nil), at: 7) == .nothing)
    }

    // MARK: Words

    @Test func `a library that is ready shows nothing, and one that was put right says so and can be used`() {
        #expect(Self.status(of: .ready) == .nothing)
        let recovery = RecordLibrary.Recovery(what: "Its copy served.", date: .init(timeIntervalSince1970: 0))
        #expect(
            Self.status(of: .recovered(recovery))
                == .notice(Words(title: "The library is open again", detail: "Its copy served.")))
    }

    @Test func `a failure says what happened and what to do, and a retry is offered where it may help`() {
        #expect(
            Self.status(of: .unavailable(Self.full))
                == .failure(
                    Words(
                        title: "The library cannot be opened", detail: Self.full.sentence,
                        nextStep: "Free some space, then try again."), offersRetry: true))
        let newer = LibraryError.tooNew(path: "A.bookdb", found: 9, supported: 1)
        #expect(
            Self.status(of: .readOnly(newer))
                == .failure(
                    Words(
                        title: "The library cannot be changed", detail: newer.sentence,
                        nextStep: "Install the newest version of the app."), offersRetry: false))
        let refusing = LibraryError.refusingWrites(path: "A.bookdb", reason: "no space")
        guard case .failure(_, offersRetry: false) = Self.status(of: .readOnly(refusing)) else {
            Issue.record("a library that is open for writing cannot be opened again")
            return
        }
    }

    @Test func `damage says what is missing, all of it`() {
        let report = RecordLibrary.DamageReport(parts: ["loans", "orders"], lacksCommits: true, damage: Self.rot)
        guard case .failure(let words, offersRetry: false) = Self.status(of: .damaged(report)) else {
            Issue.record("no failure")
            return
        }
        #expect(words.detail == "This is missing: loans, orders. The newest changes are missing. \(Self.rot)")
        #expect(words.accessibilityLabel.hasPrefix("A part of the library cannot be read. This is missing"))
        #expect(words.accessibilityLabel.hasSuffix("to get back the rest."))
    }

    @Test func `a screen reader says all of it, unless it is given other words`() {
        #expect(Words(title: "Opening").accessibilityLabel == "Opening")
        #expect(Words(title: "Closed", nextStep: "Open it.").accessibilityLabel == "Closed. Open it.")
        #expect(Words(title: "A", detail: "B.", nextStep: "C.", accessibilityLabel: "D").description == "D")
    }

    @Test func `the words are the app's where it has its own`() {
        var texts = LibraryStatusTexts.english
        texts.words = { health in
            guard case .unavailable = health else { return LibraryStatusTexts.english.words(health) }
            return Words(title: "Die Bibliothek fehlt")
        }
        var schedule = LibraryStatusSchedule()
        let own = schedule.status(of: .unavailable(Self.full), at: .zero, texts).status
        #expect(own.words?.title == "Die Bibliothek fehlt")
        #expect(schedule.status(of: .readOnly(Self.full), at: .zero, texts).status.words?.nextStep != nil)
    }

    // MARK: Of a library

    @Test func `a library on a slow disk goes through nothing, words, a bar and nothing`() async throws {
        let path = "A.bookdb"
        let disk = GatedDisk()
        let made = try RecordLibrary(at: path, fileSystem: disk, device: 1)
        try await made.compact()
        try await made.close()
        disk.close("snapshot-")
        let store = RecordLibrary(.file(path), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        // Its time passes as fast as somebody sleeps by it.
        var statuses = store.statuses(.english, by: AnyClock(ScriptedClock())).makeAsyncIterator()
        let words = Words(title: "Opening the library")
        var seen: [LibraryStatus] = []
        while let status = await statuses.next(), status != .progress(words, fraction: 0) { seen.append(status) }
        // Who is slow misses what is over.
        #expect([.nothing, .waiting(words)].filter(seen.contains) == seen)
        disk.open("snapshot-")
        while let status = await statuses.next(), status != .nothing {}
        try await store.ready()
        #expect(store.health.isReady)
        try await store.close()
    }

    @Test func `a library that cannot be opened says so, and after a retry that it can`() async throws {
        let path = "A.bookdb"
        let disk = MemoryFileSystem()
        let other = try RecordLibrary(at: path, fileSystem: disk, device: 1)
        let store = RecordLibrary(.file(path), LibrarySettings(fileSystem: disk))
        var statuses = store.statuses().makeAsyncIterator()
        while let status = await statuses.next() {
            guard case .failure(let words, let offersRetry) = status else { continue }
            #expect(words.title == "The library cannot be changed" && offersRetry)
            break
        }
        try await other.close()
        store.retry()
        while let status = await statuses.next(), status != .nothing {}
        try await store.ready()
        #expect(store.health.isReady)
        try await store.close()
    }

    @Test func `the statuses end with their library`() async throws {
        var store: RecordLibrary? = try RecordLibrary.inMemory()
        let statuses = try #require(store).statuses()
        try await store?.close()
        store = nil
        for await status in statuses { #expect(status == .nothing) }
    }
}

extension RecordLibrary.Health {
    fileprivate var isReady: Bool { if case .ready = self { true } else { false } }
}
