/// How the records that some conditions hold for are found: for people as its description, for tools by its parts.
public struct RecordPlan: Sendable, Equatable {
    /// A list of records, and how many are in it.
    public struct Step: Sendable, Equatable {
        /// The order that it is a stretch of; `nil` for all records by identifier.
        public let order: String?

        /// Those that hold for all of it.
        public let conditions: [String]

        /// Exact.
        public let count: Int

        package init(order: String?, conditions: [String], count: Int) {
            (self.order, self.conditions, self.count) = (order, conditions, count)
        }
    }

    public let kind: String

    /// All of them, such as `amount < -500.00`.
    public let conditions: [String]

    /// The list that is gone through: the shortest, or the order that is asked for where that is sooner.
    public let walked: Step

    /// What is tested on each record of it.
    public let tested: [String]

    /// How what is found is sorted: `the order “statement”`, `by identifier`; `nil` where it comes in the order that is asked for.
    public let sorting: String?

    /// Lists that some of the conditions leave short as well.
    public let passedOver: [Step]

    package init(
        of kind: String, where conditions: [String], walked: Step, tested: [String], sorting: String? = nil,
        passedOver: [Step] = []
    ) {
        (self.kind, self.conditions, self.walked) = (kind, conditions, walked)
        (self.tested, self.sorting, self.passedOver) = (tested, sorting, passedOver)
    }
}

extension RecordPlan: CustomStringConvertible {
    public var description: String {
        var lines = [kind + (conditions.isEmpty ? ":" : " where \(conditions.joined(separator: ", ")):")]
        lines.append("goes through \(walked)")
        if !tested.isEmpty { lines.append("tests on each of them \(tested.joined(separator: ", "))") }
        if let sorting { lines.append("sorts what is found \(sorting.hasPrefix("the ") ? "as " : "")\(sorting)") }
        lines += passedOver.map { "not through \($0)" }
        return lines.joined(separator: "\n  ")
    }
}

extension RecordPlan.Step: CustomStringConvertible {
    public var description: String {
        let name = order.map { "the order “\($0)”" } ?? "all records"
        let reach = conditions.isEmpty ? "" : " where \(conditions.joined(separator: ", "))"
        return "\(name)\(reach): \(count) record\(count == 1 ? "" : "s")"
    }
}
