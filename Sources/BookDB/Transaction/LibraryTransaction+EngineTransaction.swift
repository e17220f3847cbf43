import Filing
import StorageEngine

extension LibraryTransaction {
    /// Lends the engine's transaction to a library's for the time of the body.
    static func run<Value>(
        on trees: inout StorageEngine.Transaction, newDevice: UInt32, newFiling: FilingTailoring,
        _ body: (inout LibraryTransaction) throws -> Value
    ) throws -> Value {
        let stored = try LibraryMeta(trees)
        var library = LibraryTransaction(
            trees, meta: stored ?? LibraryMeta(device: newDevice, filing: newFiling), storedMeta: stored)
        let result = Result {
            // Reads within the first transaction of a library know it, too.
            if stored == nil { try library.putMeta() }
            if !library.filingRulesAreCurrent { try library.rebuildListings() }
            let check = OrderCheck.isOn ? OrderCheck(before: library) : nil
            let value = try body(&library)
            try check?.run(on: library)
            try library.complete()
            return value
        }
        // The engine's transaction goes back to the engine also when the body threw, to be rolled back there.
        trees = library.engineTransaction()
        return try result.get()
    }
}
