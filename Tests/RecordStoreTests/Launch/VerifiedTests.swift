import Foundation
import LibrarySupport
import StorageEngine
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// A flag that a shop knows and an app has to have before it can ask: the cases of a cached premium flag.
struct VerifiedTests {
    private static let path = "A.bookdb"

    private final class Shop: Sendable {
        private let state = Mutex((answer: Bool?.some(true), asked: 0, mismatches: [String]()))

        var answer: Bool? {
            get { state.withLock { $0.answer } }
            set { state.withLock { $0.answer = newValue } }
        }
        var askedCount: Int { state.withLock { $0.asked } }
        var mismatches: [String] { state.withLock { $0.mismatches } }

        struct Unavailable: Error {}

        func ask() async throws -> Bool {
            state.withLock { $0.asked += 1 }
            await Task.yield()
            guard let answer else { throw Unavailable() }
            return answer
        }

        func note(_ kept: Bool?, _ actual: Bool) {
            state.withLock { $0.mismatches.append("\(kept.map { "\($0)" } ?? "nothing") → \(actual)") }
        }
    }

    private final class Time: Sendable {
        private let state = Mutex(Date(timeIntervalSince1970: 1_700_000_000))
        var now: Date { state.withLock { $0 } }
        func pass(days: Double) { state.withLock { $0 += days * 86_400 } }
    }

    private let disk = MemoryFileSystem()
    private let time = Time()
    private let shop = Shop()

    /// A launch of the app, up to its first frame and what comes after, and what it showed before.
    private func launched(
        after lifetime: Duration? = nil, then body: (RecordLibrary, Verified<Bool>) async throws -> Void = { _, _ in }
    ) async throws -> Bool? {
        let store = try RecordLibrary(at: Self.path, fileSystem: disk)
        let premium = Verified(store, "premium", Bool.self, now: { [time] in time.now })
        let shown = premium.value
        premium.verify(after: lifetime, ask: shop.ask, mismatch: shop.note)
        store.launch.firstFrame()
        await store.launch.finished()
        try await body(store, premium)
        try await store.close()
        return shown
    }

    private func cache(_ value: Bool) async throws {
        let store = try RecordLibrary(at: Self.path, fileSystem: disk)
        try Verified(store, "premium", Bool.self, now: { [time] in time.now }).set(value)
        try await store.close()
    }

    @Test func `nothing is cached: the app knows after the first frame, and from then on at once`() async throws {
        let first = try await launched { _, premium in #expect(premium.value == true && premium.age == .zero) }
        #expect(first == nil)
        #expect(shop.mismatches == ["nothing → true"])
        #expect(try await launched() == true)
        #expect(shop.mismatches.count == 1 && shop.askedCount == 2, "what agrees is no mismatch")
    }

    @Test func `cached is false and the shop says true: told once, with both`() async throws {
        try await cache(false)
        let shown = try await launched { _, premium in #expect(premium.value == true) }
        #expect(shown == false)
        #expect(shop.mismatches == ["false → true"])
        #expect(try await launched() == true)
        #expect(shop.mismatches.count == 1)
    }

    @Test func `cached is true and it has expired`() async throws {
        try await cache(true)
        shop.answer = false
        let shown = try await launched { _, premium in #expect(premium.value == false) }
        #expect(shown == true)
        #expect(shop.mismatches == ["true → false"])
        #expect(try await launched() == false)
    }

    @Test func `the shop cannot be reached: what is kept stays, and it is asked again when the app is active`()
        async throws
    {
        try await cache(true)
        shop.answer = nil
        time.pass(days: 3)
        let shown = try await launched { store, premium in
            #expect(premium.value == true && premium.age == .seconds(3 * 86_400))
            shop.answer = false
            store.launch.becameActive()
            await store.launch.finished()
            #expect(premium.value == false && premium.age == .zero)
        }
        #expect(shown == true)
        #expect(shop.askedCount == 2 && shop.mismatches == ["true → false"])
    }

    @Test func `an answer that is not stale is not asked for, and one that is, is`() async throws {
        try await cache(true)
        time.pass(days: 6)
        _ = try await launched(after: .seconds(7 * 86_400)) { _, premium in
            #expect(!premium.isStale(after: .seconds(7 * 86_400)) && premium.isStale(after: .seconds(5 * 86_400)))
        }
        #expect(shop.askedCount == 0)
        time.pass(days: 2)
        _ = try await launched(after: .seconds(7 * 86_400))
        #expect(shop.askedCount == 1)
        // A clock that was set back makes nothing fresh for ever.
        time.pass(days: -400)
        _ = try await launched(after: .seconds(7 * 86_400)) { _, premium in #expect(premium.age == .zero) }
        #expect(shop.askedCount == 2)
    }

    @Test func `what is set while the library is being opened is kept when it is closed before that ends`() async throws
    {
        try await cache(true)
        for round in 0..<60 {
            let gated = GatedDisk()
            try await RecordLibrary(at: Self.path, fileSystem: gated).close()
            gated.close("snapshot-")
            let store = RecordLibrary(.file(Self.path), LibrarySettings(fileSystem: gated))
            try Verified(store, "round", Int.self).set(round)
            let closing = Task { try await store.close() }
            await pause()
            gated.open("snapshot-")
            try await closing.value
            let again = try RecordLibrary(at: Self.path, fileSystem: gated)
            #expect(Verified(again, "round", Int.self).value == round)
            try await again.close()
        }
    }

    @Test func `an answer is there while the library is still being opened, and what is set then is kept`() async throws
    {
        try await cache(true)
        let gated = GatedDisk()
        let begin = try RecordLibrary(at: Self.path, fileSystem: gated)
        try Verified(begin, "premium", Bool.self).set(true)
        try await begin.close()
        gated.close("snapshot-")
        let store = RecordLibrary(.file(Self.path), LibrarySettings(fileSystem: gated))
        let (premium, trial) = (Verified(store, "premium", Bool.self), Verified(store, "trial", Int.self))
        try trial.set(14)
        while !store.answers.isLoaded { await pause() }
        #expect(premium.value == true && trial.value == 14 && !store.snapshot.isLoaded)
        gated.open("snapshot-")
        try await store.close()
        let again = try RecordLibrary(at: Self.path, fileSystem: gated)
        #expect(Verified(again, "trial", Int.self).value == 14)
        Verified(again, "trial", Int.self).forget()
        #expect(Verified(again, "trial", Int.self).value == nil)
        #expect(Verified(again, "premium", String.self).value == nil, "of another type")
        try await again.close()
    }

    /// Until the app was started again they were not there, and could not be forgotten.
    @Test func `what was kept on a disk that was not there comes with it, under what was set and forgotten meanwhile`()
        async throws
    {
        let gated = GatedDisk()
        let begin = try RecordLibrary(at: Self.path, fileSystem: gated)
        for name in ["premium", "trial"] { try Verified(begin, name, Bool.self).set(true) }
        try await begin.close()
        gated.fail { _, _ in .inputOutput(operation: "open", path: Self.path, code: 5) }
        let store = RecordLibrary(.file(Self.path), LibrarySettings(fileSystem: gated))
        await #expect(throws: LibraryError.self) { try await store.ready() }
        let (premium, trial) = (Verified(store, "premium", Bool.self), Verified(store, "trial", Bool.self))
        #expect(premium.value == nil)
        try Verified(store, "theme", String.self).set("dark")
        trial.forget()
        gated.fail(nil)
        store.retry()
        try await store.ready()
        #expect(premium.value == true && trial.value == nil)
        premium.forget()
        try await store.close()
        let again = try RecordLibrary(at: Self.path, fileSystem: gated)
        #expect(["premium", "trial"].allSatisfy { Verified(again, $0, Bool.self).value == nil })
        #expect(Verified(again, "theme", String.self).value == "dark")
        try await again.close()
    }

    /// Nothing seemed to be kept, so the shop was asked, and told that it had another answer.
    @Test func `who verifies before the answers are read waits for them`() async throws {
        let gated = GatedDisk()
        let begin = try RecordLibrary(at: Self.path, fileSystem: gated)
        try Verified(begin, "premium", Bool.self, now: { [time] in time.now }).set(true)
        try await begin.close()
        gated.close("answers")
        let store = RecordLibrary(.file(Self.path), LibrarySettings(fileSystem: gated), waitingFor: .zero)
        let premium = Verified(store, "premium", Bool.self, now: { [time] in time.now })
        premium.verify(after: .seconds(7 * 86_400), ask: shop.ask, mismatch: shop.note)
        store.launch.firstFrame()
        // No task: the job waits on one of the threads that these share.
        Thread.detachNewThread { [launch = store.launch] in
            while launch.jobs.contains(where: { $0.name == "verify premium" && $0.state == .waiting }) { usleep(1_000) }
            usleep(20_000)
            gated.open("answers")
        }
        await store.launch.finished()
        #expect(shop.askedCount == 0 && shop.mismatches.isEmpty)
        try await store.close()
    }

    @Test func `an answer that cannot be kept is told, and what was kept stays`() async throws {
        let store = try RecordLibrary(at: Self.path, fileSystem: disk)
        let rate = Verified(store, "rate", Double.self)
        try rate.set(1.5)
        #expect(throws: LibraryError.self) { try rate.set(.nan) }
        #expect(rate.value == 1.5)
        let texts = (0..<4).map { Verified(store, "text \($0)", String.self) }
        let text = String(repeating: "x", count: 200 << 10)
        for text in texts.prefix(3) { try text.set(String(repeating: "x", count: 200 << 10)) }
        #expect(throws: LibraryError.self) { try texts[3].set(text) }
        #expect(texts[3].value == nil && texts[2].value == text)
        // One may take the place of another.
        try texts[2].set("short")
        try texts[3].set(text)
        // What is asked for and cannot be kept is a failure of the job.
        rate.verify(retry: .never, ask: { .infinity }, mismatch: { _, _ in Issue.record("it was not kept") })
        store.launch.firstFrame()
        await store.launch.finished()
        #expect(store.launch.jobs.contains { $0.name == "verify rate" && "\($0)".contains("JSON") })
        try await store.close()
        let again = try RecordLibrary(at: Self.path, fileSystem: disk)
        #expect(
            Verified(again, "text 3", String.self).value == text && Verified(again, "rate", Double.self).value == 1.5)
        try await again.close()
    }

    /// The file is JSON in base 64: it had a backslash before each slash, and six bytes for a control character of a name.
    @Test func `what is kept fits the file, whatever letters that writes for it`() async throws {
        let store = try RecordLibrary(at: Self.path, fileSystem: disk)
        let slashes = String(repeating: "?", count: 700_000)
        let escaped = String(repeating: "\u{1}", count: 200_000)
        #expect(throws: LibraryError.self) { try Verified(store, escaped, Bool.self).set(true) }
        let short = String(escaped.prefix(50_000))
        try Verified(store, short, String.self).set(String(slashes.prefix(400_000)))
        await store.answers.settle()
        let other = try RecordLibrary(at: Self.path, access: .readOnly, fileSystem: disk)
        #expect(Verified(other, short, String.self).value?.count == 400_000)
        try await other.close()
        Verified(store, short, String.self).forget()
        try Verified(store, "slashes", String.self).set(slashes)
        try await store.close()
        let again = try RecordLibrary(at: Self.path, fileSystem: disk)
        #expect(Verified(again, "slashes", String.self).value == slashes)
        try await again.close()
    }

    @Test func `answers are no part of the library, and a spoiled file of them is nothing cached`() async throws {
        try await cache(true)
        #expect(try RecordLibrary.verify(at: Self.path, fileSystem: disk).isSound)
        let file = try disk.openFile(Self.path + "/answers", .writing)
        try file.write([0xFF], at: 30)
        #expect(try await launched() == nil)
        let reader = try RecordLibrary(at: Self.path, access: .readOnly, fileSystem: disk)
        #expect(Verified(reader, "premium", Bool.self).value == true, "the launch has written it anew")
    }
}
