import BookDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How far back a backup reaches, for people and as JSON.
enum ReachText {
    typealias Reach = (commits: ClosedRange<UInt64>, times: ClosedRange<UInt64>)

    static func lines(_ reaches: [Reach]) -> [String] {
        var table = TextTable([.init(), .init(alignment: .right), .init()])
        for reach in reaches {
            let (first, last) = (Int(clamping: reach.commits.lowerBound), Int(clamping: reach.commits.upperBound))
            table.add([
                first == last ? "commit" : "commits",
                first == last ? NumberText.count(first) : "\(NumberText.count(first)) to \(NumberText.count(last))",
                first == last
                    ? TimeText.second(date(reach.times.lowerBound))
                    : "\(TimeText.second(date(reach.times.lowerBound))) to \(TimeText.second(date(reach.times.upperBound)))",
            ])
        }
        return table.lines(indent: 2)
    }

    static func write(_ reaches: [Reach], to json: inout JSONWriter) {
        json.array("reaches") { json in
            for reach in reaches {
                json.object { json in
                    json.member("from", reach.commits.lowerBound)
                    json.member("to", reach.commits.upperBound)
                    json.member("fromTime", TimeText.text(date(reach.times.lowerBound)))
                    json.member("toTime", TimeText.text(date(reach.times.upperBound)))
                }
            }
        }
    }

    static func date(_ milliseconds: UInt64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
