import Foundation
import LibrarySupport
import Observation
import StorageEngine
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// What a library says of how it fares, when nobody has written and nothing was verified.
struct HealthTests {
    @Test func `damage that a reader meets is told by health to whoever observes it`() async throws {
        let library = try await Self.makeDamageable()
        try library.flip("Account 1777")
        let log = HeardEvents()
        let store = try RecordLibrary(
            RecordLibrary.open(
                DamageableLibrary.path, LibrarySettings(fileSystem: library.fileSystem, log: log)))
        let isTold = Flag()
        withObservationTracking {
            _ = store.health.name
        } onChange: {
            isTold.set()
        }
        #expect(store.health.isOpen)
        var failureCount = 0
        let version = store.snapshot.version
        for tree in version.declarations {
            do { try version.scan(tree.number) { _, _ in true } } catch { failureCount += 1 }
        }
        #expect(failureCount > 0)
        guard case .damaged(let report) = store.health else { Issue.record("\(store.health)"); return }
        #expect(report.parts.count == 1 && !report.lacksCommits)
        #expect(store.health.nextStep?.contains("bookdb") == true && !store.health.isOpen)
        while !isTold.isSet { await pause() }
        #expect(log.all.count { $0.kind == .damaged } == 1)
        // What is whole is read and written all the same.
        _ = try await store.write { try $0.insert(LedgerAccount(name: "New")) }
        try await store.close()
    }

    /// Who read of a damaged page that everything else is here did not hear that the newest changes were in memory alone.
    @Test func `changes that are not saved, and a closed library, are told before damage that was met`() async throws {
        let damaged = try await Self.makeDamageable()
        try damaged.flip("Account 1777")
        let directory = FileManager.default.temporaryDirectory.appending(path: "HealthTests.\(UUID().uuidString)")
        let (here, away) = (directory.appending(path: "Here.bookdb"), directory.appending(path: "Away.bookdb"))
        try FileManager.default.createDirectory(at: here, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for name in try damaged.fileSystem.names(inDirectory: DamageableLibrary.path) {
            let bytes = try damaged.bytes(of: DamageableLibrary.path + "/" + name)
            try Data(bytes).write(to: here.appending(path: name))
        }
        let store = try RecordLibrary(at: here)
        let version = store.snapshot.version
        for tree in version.declarations { try? version.scan(tree.number) { _, _ in true } }
        #expect(store.health.name == "damaged")
        try FileManager.default.moveItem(at: here, to: away)
        _ = try await store.write(.memory) { try $0.insert(LedgerAccount(name: "New")) }
        await store.database.settle()
        guard case .unsaved(.displaced, waitingCommitCount: 1) = store.health else {
            Issue.record("\(store.health)")
            return
        }
        try FileManager.default.moveItem(at: away, to: here)
        // A try that began before may fail behind this one.
        for _ in 0..<1_000 where store.health.name == "unsaved" { await store.database.tryAgain() }
        #expect(store.health.name == "damaged", "what was met is not forgotten")
        try await store.close()
        guard case .readOnly(.closed) = store.health else { Issue.record("\(store.health)"); return }
    }

    @Test func `while orders are made the library is upgrading, and tells of every percent once`() {
        let board = HealthBoard()
        #expect(!board.upgrade.isUnderWay)
        board.noteProgress(0.5)
        #expect(board.upgrade.isUnderWay && board.upgrade.fraction == 0.5)
        board.noteProgress(0.501)
        #expect(board.upgrade.fraction == 0.5, "nobody sees less than a percent")
        board.isRelisting = true
        #expect(board.upgrade.isUnderWay && board.upgrade.fraction == nil, "of lists nothing is known")
        board.isRelisting = false
        board.noteProgress(nil)
        #expect(!board.upgrade.isUnderWay)
    }

    @Test func `every health has words of its own, and what is not well says what to do`() {
        typealias Health = RecordLibrary.Health
        let error = LibraryError.unknownFeatures(path: "A.bookdb", bits: 0b1010_0000, canBeRead: true)
        let damage = Damage(file: "snapshot-1", byteOffset: 8192, page: 2, finding: "its checksum is wrong")
        let report = RecordLibrary.DamageReport(parts: ["the list"], lacksCommits: false, damage: damage)
        let cut = RecordLibrary.DamageReport(parts: [], lacksCommits: true, damage: damage)
        let all: [Health] = [
            .opening(fraction: 0.25), .ready, .recovered(.init(what: "The log was cut.", date: .now)),
            .upgrading(fraction: nil), .upgrading(fraction: 0.5), .readOnly(error), .damaged(report), .damaged(cut),
            .unavailable(.notFound(path: "A.bookdb")), .behind(.outdated(path: "A.bookdb")),
        ]
        #expect(Set(all.map(\.description)).count == all.count)
        #expect(all.filter(\.isOpen).allSatisfy { $0.nextStep == nil } && all.count(where: \.isOpen) == 4)
        #expect(all.filter { !$0.isOpen }.dropFirst().allSatisfy { $0.nextStep != nil })
        #expect("\(all[0])".contains("25 %") && "\(all[4])".contains("50 %"))
        #expect("\(all[5])".contains("features of a newer version, numbers 5 and 7, without which it can only be read"))
        #expect("\(all[6])".contains("the list") && "\(all[7])".contains("commits after this place are missing"))
        #expect(
            LibraryError.unknownFeatures(path: "A", bits: 4, canBeRead: false).sentence.contains(
                "a feature of a newer version, number 2,"))
    }

    static func makeDamageable(_ count: Int = 2_000) async throws -> DamageableLibrary {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        try await store.write { ledger in
            for number in 0..<count { _ = try ledger.insert(LedgerAccount(name: "Account \(number)")) }
        }
        try await store.compact()
        try await store.close()
        return library
    }

    final class HeardEvents: DiagnosticLog {
        private let events = Mutex<[DiagnosticEvent]>([])
        var all: [DiagnosticEvent] { events.withLock { $0 } }
        func log(_ event: DiagnosticEvent) { events.withLock { $0.append(event) } }
    }
}
