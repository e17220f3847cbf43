import Foundation

/// How long loads of the same books took.
struct LoadTimes {
    struct Times {
        private(set) var elapsed = Stopwatch()
        /// Of all threads together.
        private(set) var processor = Stopwatch()

        mutating func add<Value>(_ body: () async throws -> Value) async throws -> Value {
            let processorStart = Self.processorTime
            let start = ContinuousClock.now
            let value = try await body()
            elapsed.add(start.duration(to: .now))
            processor.add(Self.processorTime - processorStart)
            return value
        }

        private static var processorTime: Duration {
            .microseconds(Int64(Double(clock()) * 1_000_000 / Double(CLOCKS_PER_SEC)))
        }
    }

    /// Books with a search file.
    var searched = Times()
    /// Books without one.
    var books = Times()
    var declared = Times()

    func printLines(works: Int) {
        let unit = 1000 * works
        DeclaredBenchmark.printLine(
            "load, a work, µs", books.elapsed.median, declared.elapsed.median, unit: unit)
        DeclaredBenchmark.printLine(
            "load, a work, µs of all processors", books.processor.median, declared.processor.median, unit: unit)
        DeclaredBenchmark.printLine(
            "load, a work, µs; books with a search file", searched.elapsed.median, declared.elapsed.median, unit: unit)
    }
}
