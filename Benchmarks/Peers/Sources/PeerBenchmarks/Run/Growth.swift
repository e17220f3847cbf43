import Foundation

/// BookDB alone at several sizes: what each operation takes, and how that grows with the library.
struct Growth {
    private let options: Options
    private let sizes: [Int]

    init(_ options: Options) {
        self.options = options
        sizes = options.sizes.isEmpty ? [1000, 10_000, 100_000, 1_000_000] : options.sizes
    }

    func run() async throws {
        var columns: [Results] = []
        for size in sizes { columns.append(try await measured(size)) }
        print("| | " + sizes.map { "\($0)" }.joined(separator: " | ") + " | slope |")
        print("|---|" + String(repeating: "---:|", count: sizes.count + 1))
        for workload in Workload.allCases {
            let figures = columns.map { $0.samples[workload]?[BookDBPeer.key].flatMap { Figure($0) } }
            guard figures.contains(where: { $0 != nil }) else { continue }
            let cells = figures.map { $0?.text(workload) ?? "" }
            let slope = slope(figures.map { $0?.median }).map { "\(($0 * 100).rounded() / 100)" } ?? ""
            print("| \(workload.title) | \(cells.joined(separator: " | ")) | \(slope) |")
        }
        print(
            """

            Medians (99th percentile); the slope is that of the logarithms: 0 does not grow with the library, 1 as it does; what is done a \
            second falls.
            """)
    }

    private func measured(_ size: Int) async throws -> Results {
        var suite = try Suite(Options([options.folder, "\(size)"]), [BookDBPeer.self])
        return try await suite.measured()
    }

    /// Of the line of least squares through the logarithms.
    private func slope(_ medians: [Int?]) -> Double? {
        let points = zip(sizes, medians).compactMap { size, median in
            median.map { (x: log(Double(size)), y: log(Double(max(1, $0)))) }
        }
        guard points.count > 1 else { return nil }
        let x = points.map(\.x).reduce(0, +) / Double(points.count)
        let y = points.map(\.y).reduce(0, +) / Double(points.count)
        let square = points.map { ($0.x - x) * ($0.x - x) }.reduce(0, +)
        return square > 0 ? points.map { ($0.x - x) * ($0.y - y) }.reduce(0, +) / square : nil
    }
}
