/// What became of all samples of a workload in one store.
struct Figure: Codable {
    let median: Int
    let p99: Int
    let longest: Int
    let repetitions: Int

    init?(_ samples: [Int]) {
        let sorted = samples.sorted()
        guard let longest = sorted.last else { return nil }
        median = sorted[sorted.count / 2]
        p99 = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
        self.longest = longest
        repetitions = sorted.count
    }

    /// The median; then the 99th percentile or, of fewer than a hundred, the longest.
    func text(_ workload: Workload) -> String {
        let middle = workload.unit.text(median)
        guard !workload.isSingleFigure, repetitions > 1 else { return middle }
        let rest = repetitions >= 100 ? workload.unit.text(p99) : "≤ " + workload.unit.text(longest)
        return "\(middle) (\(rest))"
    }
}
