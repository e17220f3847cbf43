import Foundation

/// BookDB beside its peers on the same books in one run.
///
///     swift run -c release --package-path Benchmarks/Peers PeerBenchmarks FOLDER 100000 --json FILE --svg FILE
///
/// Every answer is compared with BookDB's: one that differs ends the run. All stores are as durable as each other.
@main struct PeerBenchmarks {
    static func main() async throws {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            if options.isLedger {
                guard let part = options.part else { return try LedgerSuite(options).run() }
                try await LedgerPart(part, options).run()
            } else if options.isLaunch {
                guard let part = options.part else { return try await LaunchSuite(options).run() }
                try await LaunchPart(part, options).run()
            } else if let part = options.part {
                try await Part(part, options).run()
            } else if options.isGrowth {
                try await Growth(options).run()
            } else if options.isTurnover {
                try await Turnover(options).run()
            } else {
                var suite = try Suite(options)
                try await suite.run()
            }
        } catch {
            FileHandle.standardError.write(Data("\n\(error)\n".utf8))
            exit(1)
        }
    }
}
