import BookDB

/// What a file shows of its columns before any row of it is imported: what one row leaves open, the others often decide.
struct FileSurvey: Sendable {
    private(set) var recordCount = 0
    /// By column: days that can only be day-month-year, and month-day-year.
    private var days: [Int: (dayFirst: Int, monthFirst: Int)] = [:]
    /// The same of days with points. Somebody who writes both kinds writes them in different orders.
    private var pointDays: [Int: (dayFirst: Int, monthFirst: Int)] = [:]
    /// By column: names that look inverted, `Herbert, Frank`, and names as shown, `Frank Herbert`.
    private var names: [Int: (inverted: Int, shown: Int)] = [:]
    private var seen: Set<Int> = []
    private var repeated: Set<Int> = []
    private var unnamed: String?

    mutating func take(_ record: CSVRecord, _ plan: RowPlan) {
        recordCount += 1
        guard record.problem == nil else { return }
        for (index, field) in plan.columns where !record.isEmpty(at: index) {
            switch field {
            case .dateAdded, .dateStarted, .dateRead: takeDay(record.text(at: index), index)
            case .authors, .moreAuthors:
                if !plan.dialect.habits.contains(.listedAuthors) { takeNames(record.text(at: index), index) }
            case .sourceID: takeIdentifier(record.text(at: index), plan, index)
            default: break
            }
        }
    }

    private mutating func takeDay(_ text: String, _ index: Int) {
        guard let order = DayText.order(shownBy: text) else { return }
        func add(to counts: inout (dayFirst: Int, monthFirst: Int)) {
            if order == .dayMonthYear { counts.dayFirst += 1 } else { counts.monthFirst += 1 }
        }
        if DayText.hasPoints(text) {
            add(to: &pointDays[index, default: (0, 0)])
        } else {
            add(to: &days[index, default: (0, 0)])
        }
    }

    private mutating func takeNames(_ text: String, _ index: Int) {
        switch PersonList.looksInverted(text) {
        case true?: names[index, default: (0, 0)].inverted += 1
        case false?: names[index, default: (0, 0)].shown += 1
        case nil: break
        }
    }

    private mutating func takeIdentifier(_ text: String, _ plan: RowPlan, _ index: Int) {
        guard !Placeholder.isOne(text) else { return }
        if plan.source == nil, plan.namedColumns.contains(index), !text.contains(":") { unnamed = plan.headers[index] }
        let key = text.hashValue
        if !seen.insert(key).inserted { repeated.insert(key) }
    }

    /// Adds what was learnt to a plan.
    ///
    /// - Parameter dates: the order that the caller says days have.
    /// - Throws: `ImportError.unnamedSource` when a column of identifiers does not say whose they are, and the caller did not.
    func apply(to plan: inout RowPlan, dates: DateOrder?) throws(ImportError) {
        if let unnamed { throw .unnamedSource(column: unnamed) }
        // A file is written by one program: a column that decides nothing takes the order of the others. With points the month comes first only where the
        // column itself says so.
        let (all, allWithPoints) = (Self.sum(days), Self.sum(pointDays))
        let others = [Self.order(all), Self.order(allWithPoints)].first { $0 == .dayMonthYear } ?? nil
        for (index, field) in plan.columns where [.dateAdded, .dateStarted, .dateRead].contains(field) {
            plan.dates[index] = dates ?? days[index].map(Self.order) ?? Self.order(all)
            plan.pointDates[index] = dates ?? pointDays[index].map(Self.order) ?? others
        }
        plan.invertedColumns = Set(names.filter { $0.value.inverted > $0.value.shown }.keys)
        plan.repeatedIdentifiers = repeated
    }

    private static func sum(
        _ days: [Int: (dayFirst: Int, monthFirst: Int)]
    ) -> (dayFirst: Int, monthFirst: Int) {
        days.values.reduce((0, 0)) { ($0.0 + $1.dayFirst, $0.1 + $1.monthFirst) }
    }

    /// `nil` when both orders, or neither, occur.
    private static func order(_ days: (dayFirst: Int, monthFirst: Int)) -> DateOrder? {
        switch (days.dayFirst, days.monthFirst) {
        case (1..., 0): .dayMonthYear
        case (0, 1...): .monthDayYear
        default: nil
        }
    }
}
