import BookDB
import Dispatch
import Foundation
import Synchronization

/// The app and another process write to one library, until the other is killed in the middle of it.
struct TwoProcessesCase {
    /// So many commits the other process has told of when it is killed.
    static let toldCount = 100
    /// After so many of them the app writes one itself.
    static let turn = 10

    let folder: TrackerFolder
    let size: LibrarySize
    /// The program that plays the other process.
    var program = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0])

    struct Played: Sendable {
        let countBefore: Int
        /// Works of the other process that were acknowledged to it.
        let toldCount: Int
        let ownCount: Int
        let countAfter: Int
        /// What the list of the app shows in the end.
        let listCount: Int
        /// How long after an acknowledgement in the other process the app heard of it, ascending.
        let latencies: [Int]
        /// Commits of the other process that the app heard of too late, or never.
        let missedCount: Int
        /// Locks that the app holds when nobody writes; `nil` where nobody can tell.
        let heldLockCount: Int?
        let isSound: Bool
    }

    /// When the app heard of each commit.
    private final class Heard: Sendable {
        private let times = Mutex<[UInt64: UInt64]>([:])

        subscript(commit: UInt64) -> UInt64? { times.withLock { $0[commit] } }

        /// Commits that come merged are heard of with the last of them.
        func note(_ commits: ClosedRange<UInt64>) {
            let now = DispatchTime.now().uptimeNanoseconds
            times.withLock { times in for commit in commits { times[commit] = now } }
        }
    }

    @MainActor func play() async throws -> Played {
        let copy = try folder.copyLibrary(size)
        defer { copy.remove() }
        let store = try await BookStore.open(at: copy.path, access: .shared)
        let list = WorkList(store, by: .title)
        let countBefore = try store.snapshot.works.count
        let heard = Heard()
        let commits = store.commits
        let listening = Task.detached { [start = store.snapshot.commitNumber] in
            var last = start
            for await commit in commits {
                heard.note(last + 1...max(last + 1, commit.number))
                last = commit.number
            }
        }
        var told: [OtherProcess.Told] = []
        var ownCount = 0
        let other = try OtherProcess(program, on: copy.path)
        for await commit in other.told {
            told.append(commit)
            if told.count.isMultiple(of: Self.turn) {
                ownCount += 1
                try await store.write { library in _ = try library.insert(Work("Page of the app")) }
            }
            if told.count == Self.toldCount { break }
        }
        other.kill()
        // What it had written when it died, and nobody was told of, becomes part of the library with the next write.
        try await store.write { library in _ = try library.insert(Work("Last page of the app")) }
        await list.shows(store.snapshot.commitNumber)
        // At rest a compaction of the library's own has ended, too.
        _ = try await store.compact()
        let heldLockCount = Self.heldLockCount(of: copy)
        let (countAfter, listCount) = (try store.snapshot.works.count, list.items.count)
        try await store.close()
        await listening.value
        let latencies = told.compactMap { commit in
            heard[commit.commitNumber].map { $0 > commit.nanoseconds ? Int($0 - commit.nanoseconds) : 0 }
        }
        return Played(
            countBefore: countBefore, toldCount: told.count, ownCount: ownCount + 1, countAfter: countAfter,
            listCount: listCount, latencies: latencies.sorted(), missedCount: told.count - latencies.count,
            heldLockCount: heldLockCount, isSound: try BookStore.verify(at: copy.path).isSound)
    }

    /// Locks of files of a library, as the system lists them.
    private static func heldLockCount(of copy: LibraryCopy) -> Int? {
        guard let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return nil }
        let names = ["lock", "turn", "compacting"]
        let inodes = names.compactMap { name -> String? in
            let attributes = try? FileManager.default.attributesOfItem(atPath: copy.path + "/" + name)
            return (attributes?[.systemFileNumber] as? UInt64).map { ":\($0) " }
        }
        return locks.split(separator: "\n").count { line in inodes.contains { line.contains($0) } }
    }

    /// Nothing that was acknowledged is missing, and at most what the other was about when it died is there beyond.
    static func isShown(by played: Played) -> Bool {
        let least = played.countBefore + played.toldCount + played.ownCount
        return played.toldCount == toldCount && played.countAfter >= least && played.listCount == played.countAfter
            && played.missedCount == 0 && played.heldLockCount ?? 0 == 0 && played.isSound
    }

    /// - Returns: whether both have what both wrote.
    func play(on page: inout Page) async throws -> Bool {
        let played = try await play()
        func time(_ index: Int) -> String {
            played.latencies.indices.contains(index) ? Figure.time(nanoseconds: played.latencies[index]) : "never"
        }
        let middle = time(played.latencies.count / 2)
        let last = time(played.latencies.count - 1)
        page.title("Another process writes to the library, and is killed")
        page.table([
            ["the other added", Figure.count(played.toldCount, "work") + ", each acknowledged, and was killed"],
            ["the app added", Figure.count(played.ownCount, "work") + ", some of them after that"],
            ["the app heard", "of each \(middle) after it was acknowledged, \(last) at the most"],
            [
                "the list shows",
                "\(Figure.count(played.listCount, "work")), \(Figure.count(played.countBefore)) before",
            ],
            ["held at rest", played.heldLockCount.map { Figure.count($0, "lock") } ?? "not told here"],
            ["verified", played.isSound ? "sound" : "not sound"],
        ])
        return Self.isShown(by: played)
    }
}
