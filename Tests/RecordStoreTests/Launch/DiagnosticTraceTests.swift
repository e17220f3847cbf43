import LibrarySupport
import StorageEngine
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// What a trace hears of a library's work.
struct DiagnosticTraceTests {
    private static let path = "A.bookdb"

    /// Keeps what it hears, in order.
    private final class Notes: DiagnosticTrace {
        enum Note: Hashable {
            case begin(DiagnosticInterval)
            case end(DiagnosticInterval)
        }

        private let notes = Mutex<[Note]>([])

        func begin(_ interval: DiagnosticInterval) -> @Sendable () -> Void {
            notes.withLock { $0.append(.begin(interval)) }
            return { self.notes.withLock { $0.append(.end(interval)) } }
        }

        /// What came since the last call.
        func take() -> [Note] {
            notes.withLock { notes in
                defer { notes = [] }
                return notes
            }
        }

        /// The phases that have begun since the last call, in order. Each of them has ended as often.
        func phases() -> [DiagnosticInterval.Phase] {
            let notes = take()
            var open: [DiagnosticInterval: Int] = [:]
            var phases: [DiagnosticInterval.Phase] = []
            for note in notes {
                switch note {
                case .begin(let interval):
                    phases.append(interval.phase)
                    open[interval, default: 0] += 1
                case .end(let interval):
                    open[interval, default: 0] -= 1
                    #expect(open[interval, default: 0] >= 0, "\(interval) ended before it began")
                }
            }
            #expect(open.values.allSatisfy { $0 == 0 }, "\(open)")
            return phases
        }
    }

    private struct Refusal: Error {}

    private static func open(_ disk: MemoryFileSystem, _ notes: Notes) throws -> RecordLibrary {
        try RecordLibrary(at: path, trace: notes, fileSystem: disk, device: 1, buildsOrders: false)
    }

    @Test func `an opening is mapped, checked and replayed`() async throws {
        let (disk, notes) = (MemoryFileSystem(), Notes())
        let store = try Self.open(disk, notes)
        #expect(notes.phases() == [.map, .check, .replay])
        try await store.close()
    }

    @Test func `a commit is sealed, written and flushed, and one that fails is only begun`() async throws {
        let notes = Notes()
        let store = try Self.open(MemoryFileSystem(), notes)
        _ = notes.take()
        try await store.write { try $0.insert(LedgerAccount(name: "Savings")) }
        #expect(notes.phases() == [.seal, .write, .flush])
        await #expect(throws: Refusal.self) {
            try await store.write { library in
                try library.insert(LedgerAccount(name: "Cash"))
                throw Refusal()
            }
        }
        #expect(notes.phases() == [.seal])
        try await store.close()
    }

    @Test func `compactions and loads are intervals of their own`() async throws {
        let notes = Notes()
        let store = try Self.open(MemoryFileSystem(), notes)
        _ = notes.take()
        try await store.compact()
        #expect(notes.phases().contains(.compaction))
        try await store.load(LedgerAccount.self) { try $0.insert(LedgerAccount(name: "Savings")) }
        #expect(notes.phases().contains(.load))
        try await store.close()
    }

    @Test func `a backup is one, whether it is made or refused`() async throws {
        let notes = Notes()
        let store = try Self.open(MemoryFileSystem(), notes)
        _ = notes.take()
        try await store.backup(to: "B.backup")
        #expect(notes.phases() == [.backup])
        await #expect(throws: LibraryError.self) { try await store.backup(to: Self.path) }
        #expect(notes.phases() == [.backup])
        try await store.close()
    }

    @Test func `steps before the first frame and jobs after it have the app's names, also where they fail`()
        async throws
    {
        let notes = Notes()
        let store = try Self.open(MemoryFileSystem(), notes)
        _ = notes.take()
        #expect(store.launch.beforeFirstFrame("count") { 7 } == 7)
        #expect(throws: Refusal.self) { try store.launch.beforeFirstFrame("rows") { throw Refusal() } }
        store.launch.afterFirstFrame("tidy") { throw Refusal() }
        #expect(
            notes.take()
                == [
                    .begin(Self.step("count")), .end(Self.step("count")), .begin(Self.step("rows")),
                    .end(Self.step("rows")),
                ])
        store.launch.firstFrame()
        await store.launch.finished()
        try await store.close()
        let job = DiagnosticInterval(.job, name: "tidy", of: Self.path)
        let seen = notes.take()
        #expect(seen.filter { $0 == .begin(job) }.count == 1 && seen.filter { $0 == .end(job) }.count == 1)
        #expect("\(job)" == "job “tidy”")
    }

    private static func step(_ name: String) -> DiagnosticInterval {
        DiagnosticInterval(.step, name: name, of: path)
    }

    @Test func `every phase of the engine is one that a trace hears of`() {
        for phase in StorePhase.allCases { #expect(DiagnosticInterval.Phase(rawValue: phase.rawValue) != nil) }
    }
}
