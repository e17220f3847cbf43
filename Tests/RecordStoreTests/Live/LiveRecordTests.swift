import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// Observers of single records.
@MainActor struct LiveRecordTests {
    @Test func `an observer shows its record, its changes, its deletion and its return`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(LedgerAccount(name: "Cash"))
            let account = LiveRecord(store, id)
            let same = LiveRecord(store, id)
            #expect(account.value?.name == "Cash" && account.error == nil)
            try await store.update(id) { $0.name = "Purse" }
            await account.shows(store.snapshot.commitNumber)
            #expect(account.value?.name == "Purse" && same.value?.name == "Purse")
            try await store.write { library in _ = try library.delete(id) }
            await account.shows(store.snapshot.commitNumber)
            #expect(account.value == nil && account.error == nil && same.value == nil)
        }
    }

    /// In a commit each, of which some share a flush, as a rule.
    private nonisolated static func rename(
        _ ids: [ID<LedgerAccount>], to name: String, in store: RecordLibrary
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids { group.addTask { try await store.update(id) { $0.name = "\(name) \(id)" } } }
            try await group.waitForAll()
        }
    }

    @Test func `commits that are acknowledged together are shown with all that they did, whoever asks in between`()
        async throws
    {
        try await withLibrary { store in
            let ids = try await store.write { library in
                try (0..<12).map { try library.insert(LedgerAccount(name: "\($0)")) }
            }
            let observers = ids.map { LiveRecord(store, $0) }
            // Who has little of the processor may meet none that share one.
            var togetherCount = 0
            for round in 0..<50 where togetherCount < 9 {
                let commits = store.commits
                let last = store.snapshot.commitNumber + UInt64(ids.count)
                async let writing: Void = Self.rename(ids, to: "round \(round)", in: store)
                for await commit in commits {
                    if commit.number < commit.snapshot.commitNumber { togetherCount += 1 }
                    await observers[0].shows(commit.number)
                    if commit.number == last { break }
                }
                try await writing
                #expect(zip(observers, ids).allSatisfy { $0.value?.name == "round \(round) \($1)" })
            }
        }
    }

    @Test func `a commit looks up the records that it changed among ten thousand observers, and notifies theirs`()
        async throws
    {
        try await withLibrary { store in
            let ids = try await store.write { library in
                var ids: [ID<LedgerAccount>] = []
                for number in 0..<10_000 { ids.append(try library.insert(LedgerAccount(name: "\(number)"))) }
                return ids
            }
            let observers = ids.map { LiveRecord(store, $0) }
            let notified = Mutex<[Int]>([])
            for (number, observer) in observers.enumerated() {
                withObservationTracking {
                    _ = observer.value
                } onChange: {
                    notified.withLock { $0.append(number) }
                }
            }
            try await store.write { library in
                for number in [17, 4711] { try library.update(LedgerAccount(id: ids[number], name: "new \(number)")) }
                try library.insert(LedgerAccount(name: "not observed"))
                try library.insert(LedgerTransfer())
            }
            await observers[17].shows(store.snapshot.commitNumber)
            #expect(notified.withLock { $0.sorted() } == [17, 4711])
            #expect(store.listHub.observers.lookUpCount == 3)
            #expect(observers[4711].value?.name == "new 4711" && observers[18].value?.name == "18")
        }
    }

    @Test func `one observer of a thousand changed records is looked for once`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(LedgerAccount(name: "Cash"))
            let observer = LiveRecord(store, id)
            try await store.write { library in
                for number in 0..<1000 { try library.insert(LedgerAccount(name: "\(number)")) }
                try library.update(LedgerAccount(id: id, name: "Purse"))
            }
            await observer.shows(store.snapshot.commitNumber)
            #expect(observer.value?.name == "Purse")
            #expect(store.listHub.observers.lookUpCount == 2, "one of each kind of change")
        }
    }

    @Test func `an observer that goes is forgotten at once, and others of its record stay`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(LedgerAccount(name: "Cash"))
            var first: LiveRecord<LedgerAccount>? = LiveRecord(store, id)
            let second = LiveRecord(store, id)
            #expect(first?.value?.name == "Cash")
            first = nil
            try await store.update(id) { $0.name = "Purse" }
            await second.shows(store.snapshot.commitNumber)
            #expect(second.value?.name == "Purse")
            for number in 0..<100 { _ = LiveRecord(store, ID<LedgerAccount>(rawValue: UInt64(number))) }
            withExtendedLifetime(second) { #expect(!store.listHub.observers.isEmpty) }
        }
    }

    @Test func `observers and their store go when nobody holds them`() async throws {
        weak var hub: LiveListHub?
        weak var observer: LiveRecord<LedgerAccount>?
        do {
            let store = try RecordLibrary.inMemory(device: 1)
            let id = try await store.insert(LedgerAccount(name: "Cash"))
            let made = LiveRecord(store, id)
            (hub, observer) = (store.listHub, made)
            #expect(made.value != nil)
        }
        for _ in 0..<100 where hub != nil { await Task.yield() }
        #expect(observer == nil && hub == nil)
    }
}
