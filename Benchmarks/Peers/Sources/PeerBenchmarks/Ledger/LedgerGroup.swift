/// The parts in which a ledger is measured, each in a process of its own.
enum LedgerGroup: String, CaseIterable {
    /// All transfers into a new ledger.
    case insert
    /// Before anything is read: nothing is measured.
    case settle
    case read
    case write

    func run<Store: LedgerStore>(_ type: Store.Type, _ folder: String, _ plan: LedgerPlan) async throws -> [Measurement]
    {
        switch self {
        case .insert:
            try FileTree(path: Context.home(folder, .imports, type.key)).remove()
            return [try await insert(try await open(type, folder, .imports, .write), plan)]
        case .settle:
            try await open(type, folder, .stores, .write).settle()
            return []
        case .read: return try await LedgerReadGroup.run(try await open(type, folder, .stores, .read).reader(), plan)
        case .write: return try await LedgerWriteGroup.run(try await open(type, folder, .copies, .write), plan)
        }
    }

    private func open<Store: LedgerStore>(
        _ type: Store.Type, _ folder: String, _ kind: Home, _ access: Access
    ) async throws -> Store {
        let home = FileTree(path: Context.home(folder, kind, type.key))
        try home.make()
        return try await Store(path: home.path + "/store", access: access)
    }

    private func insert(_ store: some LedgerStore, _ plan: LedgerPlan) async throws -> Measurement {
        let duration = try await ContinuousClock().measure { try await store.insert(plan.transfers) }
        return Measurement(
            workload: .ledgerInsertAll, samples: [duration.nanoseconds], digest: try store.reader().digestOfAll())
    }
}
