import RecordStore
import TestSupport

/// Random changes of transfers over a few accounts; the same for the same seed.
struct LedgerHistory: Sendable {
    let accounts: [ID<LedgerAccount>]
    private(set) var transfers: [LedgerTransfer] = []
    private(set) var random: SeededGenerator

    init(_ accounts: [ID<LedgerAccount>], _ random: SeededGenerator) {
        self.accounts = accounts
        self.random = random
    }

    private mutating func transfer() -> LedgerTransfer {
        LedgerTransfer(
            account: random.pick(accounts)!, date: Day(daysSince1970: Int32.random(in: 0...30, using: &random)),
            amount: Money(Int.random(in: -50...50, using: &random)),
            category: random.pick([nil, "Food", "food", "Rent"])!,
            note: random.pick(["", "Café", "cafe", "one two"])!, method: random.pick(PaymentMethod.allCases)!,
            isPending: random.oneIn(3))
    }

    private mutating func step(_ library: inout LibraryTransaction) throws(LibraryError) {
        if transfers.isEmpty || random.oneIn(3) {
            var transfer = transfer()
            transfer.id = try library.insert(transfer)
            transfers.append(transfer)
        } else if random.oneIn(3) {
            let index = Int.random(in: 0..<transfers.count, using: &random)
            try library.delete(transfers.remove(at: index).id)
        } else {
            let index = Int.random(in: 0..<transfers.count, using: &random)
            var changed = random.oneIn(3) ? transfer() : transfers[index]
            changed.id = transfers[index].id
            changed.amount += 1
            transfers[index] = changed
            try library.update(changed)
        }
    }

    /// The history after some more steps, which are one commit.
    func committed(_ steps: Int, to store: RecordLibrary) async throws -> LedgerHistory {
        try await store.write(.memory) { library in
            var history = self
            for _ in 0..<steps { try history.step(&library) }
            return history
        }
    }

    /// A number for the test that goes on with the same source.
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
