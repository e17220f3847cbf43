import Foundation

/// The ratios of a report as bars on a logarithmic scale, as an SVG picture in colours that light and dark pages both bear.
struct Chart {
    private let rows: [Report.Row]
    private let report: Report

    private static let rowHeight = 22.0
    private static let labelWidth = 360.0
    private static let plotWidth = 420.0
    private static let figureWidth = 90.0
    private static let top = 64.0

    init(_ report: Report) {
        self.report = report
        rows = report.rows.filter { $0.ratio != nil }
    }

    private var bottom: Double { Self.top + Double(rows.count) * Self.rowHeight }

    /// Whole powers of ten around all ratios.
    private var decades: ClosedRange<Int> {
        let logarithms = rows.compactMap(\.ratio).map(log10)
        let least = Int((logarithms.min() ?? -1).rounded(.down))
        let most = Int((logarithms.max() ?? 1).rounded(.up))
        return min(-1, least)...max(1, most)
    }

    private func x(_ ratio: Double) -> Double {
        let share = (log10(ratio) - Double(decades.lowerBound)) / Double(decades.count - 1)
        return Self.labelWidth + share * Self.plotWidth
    }

    var svg: String {
        let width = Self.labelWidth + Self.plotWidth + Self.figureWidth
        let height = bottom + 16
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" font-family="sans-serif" font-size="13">
            <style>
            text { fill: #777 } .quiet { font-size: 11px } .axis { stroke: #8886 } .one { stroke: #888 }
            .less { fill: #2f9e77 } .more { fill: #d0693f }
            </style>
            <text x="10" y="20" font-size="15" font-weight="bold">BookDB ÷ best peer, \(report.works) works</text>
            <text x="10" y="37" class="quiet">Left of 1 BookDB needs less, right of it more. Logarithmic.</text>
            \(axes)
            \(rows.enumerated().map { bar($1, at: Self.top + Double($0) * Self.rowHeight) }.joined(separator: "\n"))
            </svg>

            """
    }

    private var axes: String {
        decades.map { decade in
            let x = Self.text(x(pow(10, Double(decade))))
            let label = decade < 0 ? "1/\(Int(pow(10, Double(-decade))))" : "\(Int(pow(10, Double(decade))))"
            return """
                <line x1="\(x)" y1="\(Self.top - 6)" x2="\(x)" y2="\(bottom)" class="\(decade == 0 ? "one" : "axis")"/>
                <text x="\(x)" y="\(Self.top - 10)" text-anchor="middle" class="quiet">\(label)</text>
                """
        }.joined(separator: "\n")
    }

    private func bar(_ row: Report.Row, at y: Double) -> String {
        let ratio = row.ratio ?? 1
        let (left, right) = (min(x(ratio), x(1)), max(x(ratio), x(1)))
        let figure = ratio < 0.1 ? String(format: "%.4f", ratio) : String(format: "%.2f", ratio)
        return """
            <text x="\(Self.labelWidth - 8)" y="\(y + 15)" text-anchor="end">\(row.title)</text>
            <rect x="\(Self.text(left))" y="\(y + 4)" width="\(Self.text(max(1, right - left)))" height="14" \
            class="\(ratio <= 1 ? "less" : "more")"><title>\(row.title): \(figure)</title></rect>
            <text x="\(Self.labelWidth + Self.plotWidth + 12)" y="\(y + 15)">\(figure)</text>
            """
    }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
