/// The random numbers of the ledger: the same in every process and for every store.
struct LedgerNumbers {
    private var state: UInt64 = 88_172_645_463_325_252

    mutating func next(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(limit))
    }
}
