import StorageEngine
import TestSupport

/// Readers of other processes beside a writer that commits, compacts, loads, rescues and reopens: whatever moment each of
/// their calls meets, they show one of the commits there were, and never damage.
public struct ReaderRace {
    public private(set) var openings = 0
    public private(set) var verifications = 0
    private let moments: [PassingDisk.Moment]
    /// Of each moment the names that a reader minds, and the files that have them.
    private let listings: [(names: [String], files: [Int])]
    private let history: CrashHistory

    /// - Parameter history: what the writer did.
    public init(beside history: CrashHistory) {
        self.history = history
        let operations = history.disk.operations
        moments = (0...operations.count).map {
            PassingDisk.Moment(CrashState.view(of: operations.prefix($0), from: history.disk.start))
        }
        listings = moments.map { moment in
            let named = moment.names.filter { name, _ in
                (name.hasPrefix("snapshot-") || name.hasPrefix("log-")) && !name.hasSuffix(".tmp")
            }.sorted { $0.key < $1.key }
            return (named.map(\.key), named.map(\.value))
        }
    }

    /// The first moment at which there is a store.
    private var first: Int {
        moments.firstIndex { $0.names.keys.contains("snapshot-0000000000000001") } ?? moments.count
    }

    /// Every race in which the writer's work from one moment to another falls between two calls of the reader, of every
    /// `stride`-th pair of moments and of more pairs that have the same names; and `randomCount` in which it falls anywhere.
    public mutating func run(stride: Int, randomCount: Int, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let start = first
        guard start + 1 < moments.count else { return }
        var pair = Int(random.next() % UInt64(stride))
        for from in start..<moments.count - 1 {
            for to in from + 1..<moments.count {
                pair += 1
                // Two listings that look alike and are not are what a reader is most easily deceived by.
                guard pair % stride == 0 || (areNamesakes(from, to) && pair % 8 == 0) else { continue }
                var call = 1
                // As many calls as the reader makes.
                while try race(Array(repeating: from, count: call) + [to]) > call { call += 1 }
            }
        }
        for _ in 0..<randomCount {
            var moment = Int.random(in: start..<moments.count, using: &random)
            let schedule = (0..<40).map { _ in
                if random.next() % 4 == 0 { moment = min(moments.count - 1, moment + Int(random.next() % 12)) }
                return moment
            }
            _ = try race(schedule)
        }
    }

    /// Whether the store has files of the same names at both moments, but not the same files.
    private func areNamesakes(_ first: Int, _ second: Int) -> Bool {
        let (first, second) = (listings[first], listings[second])
        return first.names == second.names && first.files != second.files
    }

    /// Gives how many calls the opening made.
    private mutating func race(_ schedule: [Int]) throws -> Int {
        let disk = PassingDisk(moments, schedule: schedule, directory: SimulatedStore.path)
        func violation(_ finding: String) -> CrashHistory.Violation {
            CrashHistory.Violation(
                description: "a reader beside the writer, at the moments \(schedule), \(finding)\n"
                    + history.disk.trail(to: schedule.last ?? 0))
        }
        openings += 1
        do throws(StorageError) {
            let database = try SimulatedStore.openToRead(disk)
            if let damage = database.opening.damage { throw .damaged(damage) }
            let contents = try SimulatedStore.contents(of: database.version)
            if !history.promise.knows(database.version.commitNumber, contents) {
                throw .damaged(
                    Damage(
                        file: database.path, byteOffset: 0,
                        finding: "commit \(database.version.commitNumber) with contents that none had"))
            }
        } catch { throw violation("finds \(error)") }
        let calls = disk.calls
        verifications += 1
        do throws(StorageError) {
            let disk = PassingDisk(moments, schedule: schedule, directory: SimulatedStore.path)
            let report = try Verifier.verify(at: SimulatedStore.path, fileSystem: disk)
            if let damage = report.damage.first ?? report.treeFindings.first?.damage { throw .damaged(damage) }
        } catch { throw violation("verifies \(error)") }
        return calls
    }
}
