/// The balances, lists and searches of a ledger, warm.
enum LedgerReadGroup {
    /// What takes a microsecond is asked again a second later: the speed of a shared processor changes in between.
    private static let passes = 5
    private static let repetitions = 400
    private static let budget = Duration.milliseconds(100)

    static func run(_ reader: some LedgerReader, _ plan: LedgerPlan) async throws -> [Measurement] {
        var all: [Measurement] = []
        for _ in 0..<passes {
            all += try await statement(reader, plan)
            all += try await lists(reader, plan)
            all += try await conditions(reader)
        }
        return all
    }

    private static func statement(_ reader: some LedgerReader, _ plan: LedgerPlan) async throws -> [Measurement] {
        [
            try await measure(.ledgerBalance, reader.digest) { try reader.balance() },
            try await measure(.ledgerBalanceNow, reader.digest) { try reader.balanceNow() },
            try await measure(.ledgerBalanceSince, reader.digest) { try reader.balance(since: LedgerPlan.since) },
            try await measure(.ledgerRunningSum, of: plan.rows, reader.digest) { try reader.runningSum(at: $0) },
            try await measure(.ledgerSumReached, of: plan.sums, { Digest.of([$0 ?? -1]) }) {
                try reader.row(whereSumReaches: $0)
            },
            try await measure(.ledgerMonths, reader.digest) { try reader.months() },
        ]
    }

    private static func lists(_ reader: some LedgerReader, _ plan: LedgerPlan) async throws -> [Measurement] {
        let middle = plan.transfers.count / 2 + 1
        return [
            try await measure(.ledgerLines, reader.digest) { try reader.newestLines() },
            try await measure(.ledgerNamedLines, reader.digest) { try reader.newestNamedLines() },
            try await measure(.ledgerMiddleLines, reader.digest) { try reader.lines(from: middle) },
            try await measure(.ledgerRecords, reader.digest) { try reader.newestTransfers() },
            try await measure(.ledgerRecordsAnywhere, of: plan.offsets, reader.digest) {
                try reader.transfers(offset: $0)
            },
        ]
    }

    private static func conditions(_ reader: some LedgerReader) async throws -> [Measurement] {
        var all = [
            try await measure(.ledgerFilter, reader.digest) { try reader.filtered() },
            try await measure(.ledgerConditions, reader.digest) { try reader.selected() },
            try await measure(.ledgerCondition, reader.digest) { try reader.noted() },
            try await measure(.ledgerSearch, { Digest.of([$0]) }) { try reader.searchCount(LedgerPlan.words) },
        ]
        // Others find nothing then.
        if reader is BookDBLedgerReader {
            all.append(
                try await measure(.ledgerTypo, { Digest.of([$0]) }) {
                    try reader.searchCount(LedgerPlan.mistypedWords)
                })
        }
        return all
    }

    private static func measure<Answer>(
        _ workload: Workload, _ digest: (Answer) -> UInt64, _ body: () throws -> Answer
    ) async throws -> Measurement {
        try await Measurement.timed(workload, upTo: repetitions, within: budget, digest, body)
    }

    /// Every answer is compared; the times are of one question after the other.
    private static func measure<Question, Answer>(
        _ workload: Workload, of questions: [Question], _ digest: (Answer) -> UInt64,
        _ body: (Question) throws -> Answer
    ) async throws -> Measurement {
        let digests = try questions.map { Int(truncatingIfNeeded: digest(try body($0))) }
        var number = 0
        let timing = try await Timing.of(upTo: repetitions, within: budget) {
            blackHole(try body(questions[number % questions.count]))
            number += 1
        }
        return Measurement(workload: workload, samples: timing.samples, digest: Digest.of(digests))
    }
}
