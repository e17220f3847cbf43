import BookDB

extension TrackerRun {
    /// What the app allows itself, and what this run took.
    var limits: [Limit] {
        let filterCount = ReviewStatus.allCases.count + ReadingStatus.allCases.count
        return [
            Limit(
                name: "initial load", allowed: .milliseconds(100),
                measured: times.firstRowsNanoseconds(firstFrame).map { .nanoseconds($0) },
                work: "from opening to the first rows"),
            Limit(
                name: "search", allowed: .milliseconds(80), measured: .nanoseconds(measured.search.nanoseconds),
                work: "the slowest of \(measured.search.textCount) texts, as typed"),
            Limit(
                name: "list memory", allowed: .bytes(60_000_000), measured: measured.listByteCount.map { .bytes($0) },
                work: makingTime == nil ? "all rows drawn" : "from the next run on"),
            Limit(
                name: "review filter", allowed: .milliseconds(30), measured: .nanoseconds(measured.filter.nanoseconds),
                work: "the slowest of \(filterCount) filters"),
            Limit(
                name: "bootstrap", allowed: .milliseconds(300), measured: .nanoseconds(times.bootstrapNanoseconds),
                work: "from opening until all is there"),
            Limit(
                name: Figure.count(size.purchases, "transaction"), allowed: .milliseconds(100),
                measured: .nanoseconds(measured.purchases.nanoseconds), work: "count, first page, sum of each account"),
            Limit(
                name: Figure.count(size.imports, "imported work"), allowed: .milliseconds(1_000),
                measured: .nanoseconds(measured.imports.nanoseconds), work: "from the file into the list, flushed"),
        ]
    }

    /// What has to be so, however slow the machine is.
    var states: [State] {
        [
            State(name: "the library is open", expected: "yes", found: health.isOpen ? "yes" : health.name),
            State("rows of the first page", min(Frame.rowCount, measured.workCount), measured.firstRowCount),
            State("rows that can be read", measured.workCount, measured.readableCount),
            State("works by status of review", measured.workCount, measured.filter.countOfReviews),
            State(
                name: "the typed title is found", expected: "yes",
                found: measured.search.foundCount > 0 ? "yes" : "no"),
            State("purchases", size.purchases, measured.purchases.count),
            State("of them on the first page", min(Frame.rowCount, size.purchases), measured.purchases.rowCount),
            State("works added by the import", size.imports, measured.imports.addedCount),
            State("of them in the list", size.imports, measured.imports.shownCount),
        ]
    }

    var statesHold: Bool { states.allSatisfy(\.holds) }

    /// Whether no limit was exceeded.
    var limitsHold: Bool { limits.allSatisfy { $0.holds != false } }
}
