import Foundation
import StorageEngine
import Synchronization
import Testing

@testable import BookDB
@testable import RecordStore

/// What a library tells its log.
struct DiagnosticLogTests {
    @Test func `a library tells its openings, compactions and closings, and what they took`() async throws {
        let log = Kept()
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: "L", log: log, fileSystem: fileSystem)
        try await store.add("Emma")
        try await store.compact()
        try await store.close()
        try await BookStore(at: "L", log: log, fileSystem: fileSystem).close()
        #expect(log.events.map(\.kind) == [.opened, .compacted, .closed, .opened, .closed])
        #expect(log.events.allSatisfy { $0.level == .info && $0.library == "L" })
        #expect(log.events[0].message == "Begun." && log.events[3].message == "Opened.")
        #expect((log.events[1].figures["bytes"] ?? 0) > 0)
        #expect("\(log.events[2])" == "L: Closed.")
    }

    @Test func `what an opening cut off, set aside or met as damage is told, each by itself`() {
        var report = OpeningReport()
        report.tornByteCount = 7
        report.fellBack = true
        report.damage = Damage(file: "L/log", byteOffset: 3, finding: "it is wrong")
        let events = DiagnosticEvent.events(.opened(report), at: "L")
        #expect(events.map(\.kind) == [.opened, .recovered, .damaged, .damaged])
        #expect(events.map(\.level) == [.info, .notice, .warning, .error])
        #expect(events[1].figures["cut-bytes"] == 7)
        #expect(events[3].message.contains("it is wrong"))
    }

    @Test func `every notice of the engine becomes an event with a sentence`() {
        let error = StorageError.diskFull(path: "L/log")
        let notices: [(StoreNotice, DiagnosticEvent.Kind, DiagnosticEvent.Level)] = [
            (.compactionFailed(error, count: 3), .compactionFailed, .warning), (.stalled(error), .stalled, .warning),
            (.resumed, .resumed, .notice), (.rescued(generation: 4, after: error), .rescued, .warning),
            (.refusing(error), .refusing, .error), (.closed(nil), .closed, .info), (.closed(error), .closed, .error),
        ]
        for (notice, kind, level) in notices {
            let events = DiagnosticEvent.events(notice, at: "L")
            #expect(events.map(\.kind) == [kind] && events.map(\.level) == [level])
            #expect(events.allSatisfy { $0.message.hasSuffix(".") && !$0.message.contains("StorageError") })
        }
    }

    @Test func `a library that cannot be opened tells why`() async throws {
        let log = Kept()
        let file = FileManager.default.temporaryDirectory.path + "/bookdb-test-\(UUID())"
        try Data("no library".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        await #expect(throws: LibraryError.self) { try await BookStore(.file(file), log: log).ready() }
        let event = try #require(log.events.first)
        #expect(log.events.count == 1 && event.kind == .unavailable && event.level == .error)
        #expect(event.message.contains("is not a library"))
    }

    private final class Kept: DiagnosticLog {
        private let list = Mutex<[DiagnosticEvent]>([])

        var events: [DiagnosticEvent] { list.withLock { $0 } }

        func log(_ event: DiagnosticEvent) { list.withLock { $0.append(event) } }
    }
}
