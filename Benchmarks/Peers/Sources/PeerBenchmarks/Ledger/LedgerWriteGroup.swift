/// Edits of one transfer each, then a thousand new transfers at a time; every commit is flushed to the device.
enum LedgerWriteGroup {
    private static let editCount = 200
    private static let warmUpCount = 5

    static func run(_ store: some LedgerStore, _ plan: LedgerPlan) async throws -> [Measurement] {
        let identifiers = try store.reader().newestIdentifiers(limit: editCount + warmUpCount)
        // The first of a process also makes files.
        for id in identifiers.suffix(warmUpCount) { try await store.edit(id) }
        let edits = try await Timing.of(editCount) { number in
            try await store.edit(identifiers[number])
            return true
        }
        let edited = try store.reader().digestOfAll()
        let imports = try await Timing.of(plan.imports.count) { number in
            try await store.insert(plan.imports[number])
            return true
        }
        return [
            Measurement(workload: .ledgerEdit, samples: edits.samples, digest: edited),
            Measurement(
                workload: .ledgerInsertThousand, samples: imports.samples, digest: try store.reader().digestOfAll()),
        ]
    }
}
