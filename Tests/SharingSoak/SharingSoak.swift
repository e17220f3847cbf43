import Foundation
import StorageEngine

/// Processes that write to one store until they have made so many commits: `./dev soak --commits N [--processes P] [--kills K] [--seed S]`.
///
/// This program starts itself once for each writer. Each commit counts up a number of all processes and one of its own, and notes both, so
/// that one that is lost, doubled or out of order shows in the end. One that follows looks at every commit meanwhile.
@main struct SharingSoak {
    private struct Wish {
        var commitCount = 1_000_000
        var processCount = 3
        var killCount = 0
        var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    }

    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--write", arguments.count == 5, let process = UInt8(arguments[2]),
            let count = UInt64(arguments[3]), let seed = UInt64(arguments[4])
        {
            return try await SoakWriter(path: arguments[1], process: process, commitCount: count, seed: seed).run()
        }
        var wish = Wish()
        while arguments.count >= 2 {
            let (option, value) = (arguments.removeFirst(), arguments.removeFirst())
            switch (option, Int(value)) {
            case ("--commits", let count?) where count > 0: wish.commitCount = count
            case ("--processes", let count?) where (1...200).contains(count): wish.processCount = count
            case ("--kills", let count?) where count >= 0: wish.killCount = count
            case ("--seed", _): wish.seed = UInt64(value) ?? wish.seed
            default: arguments = ["?"]
            }
        }
        guard arguments.isEmpty else {
            print("usage: SharingSoak [--commits N] [--processes P] [--kills K] [--seed S]")
            exit(64)
        }
        print("BOOKDB_SEED=\(wish.seed)")
        let soak = Soak(
            commitCount: wish.commitCount, processCount: wish.processCount, killCount: wish.killCount, seed: wish.seed)
        let findings = try await soak.run()
        for finding in findings { print("  ✗ \(finding)") }
        print("\(findings.count) findings")
        exit(findings.isEmpty ? 0 : 1)
    }
}
