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
            if let part = options.part {
                try await Part(part, options).run()
            } else if options.isGrowth {
                try await Growth(options).run()
            } else if options.isTurnover {
                try await Turnover(options).run()
            } else {
                try await Suite(options).run()
            }
        } catch let failure as Failure {
            FileHandle.standardError.write(Data((failure.description + "\n").utf8))
            exit(1)
        }
    }
}
