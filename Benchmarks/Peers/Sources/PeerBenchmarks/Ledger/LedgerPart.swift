/// A process of its own for one group of one store that keeps a ledger, such as `sqlite:write`.
struct LedgerPart {
    private let store: String
    private let group: LedgerGroup
    private let options: Options

    init(_ name: String, _ options: Options) throws {
        let parts = name.split(separator: ":").map(String.init)
        guard parts.count == 2, let group = LedgerGroup(rawValue: parts[1]) else {
            throw Failure("“\(name)” is not STORE:GROUP of a ledger.")
        }
        store = parts[0]
        self.group = group
        self.options = options
    }

    func run() async throws {
        let plan = try LedgerPlan(count: options.works)
        try await Part.run {
            let measurements =
                store == Floor.key
                ? [Measurement(workload: .ledgerEdit, samples: try await Floor.flushes(in: options.runFolder))]
                : try await group.run(try LedgerStores.named(store), options.runFolder, plan)
            return MeasuredLine(measurements: measurements)
        }
    }
}
