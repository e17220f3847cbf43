import Foundation
import StorageEngine
import Synchronization
import TestSupport

/// One of the processes that write: it goes on behind what the store has of it, and tells of what was acknowledged.
///
///     begins 812        the commits of its own that it found
///     at 864            so many are acknowledged
///     wrong …           what must not be
struct SoakWriter {
    let path: String
    let process: UInt8
    let commitCount: UInt64
    let seed: UInt64

    /// Says what must not be, and ends.
    private static func fail(_ finding: String) -> Never {
        say("wrong \(finding)")
        exit(1)
    }

    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// What the process is shown, by itself and by others.
    private final class Shown: Sendable {
        private let newest = Mutex<UInt64>(0)

        func take(_ commit: PublishedCommit) {
            newest.withLock { newest in
                if commit.commitNumber <= newest {
                    SoakWriter.fail("commit \(commit.commitNumber) is shown behind \(newest)")
                }
                newest = commit.commitNumber
            }
            guard (try? SoakStore.count(of: SoakStore.all, in: commit.version)) == commit.version.commitNumber else {
                SoakWriter.fail("commit \(commit.commitNumber) is shown without those before it")
            }
        }
    }

    func run() async throws {
        let shown = Shown()
        let store = try Database.open(
            at: path, trees: SoakStore.trees, options: SoakStore.options(.shared), onPublish: shown.take)
        let begun = try await store.write(.memory) { [process] transaction in
            SoakStore.number(try transaction.bytes(forKey: [process], in: SoakStore.counts))
        }
        Self.say("begins \(begun)")
        var (acknowledged, random) = (begun, SeededGenerator(seed: seed + UInt64(process)))
        while acknowledged < commitCount {
            // Some share a flush, and most are in the log only when they are acknowledged.
            let count = min(random.next() % 4 + 1, commitCount - acknowledged)
            let durability = random.next() % 32 == 0 ? Durability.flushed : .memory
            do {
                acknowledged = try await withThrowingTaskGroup(of: UInt64.self) { [process] group in
                    for _ in 0..<count {
                        group.addTask { try await store.write(durability) { try SoakStore.count(process, in: &$0) } }
                    }
                    return try await group.reduce(0, max)
                }
            } catch { Self.fail("a write: \(error)") }
            Self.say("at \(acknowledged)")
        }
        do { try await store.close() } catch { Self.fail("closing: \(error)") }
        Self.say("done")
    }
}
