import Filing
import StorageEngine

extension LibraryTransaction {
    /// Lends the engine's transaction to a library's for the time of the body.
    ///
    /// - Parameters:
    ///   - new: what a library that begins knows about itself.
    ///   - mayWait: whether it is given up, before the body, where so much has to be made anew that a load has to do it.
    ///   - keepsUndo: whether it keeps what its records were before.
    static func run<Value>(
        on trees: inout StorageEngine.Transaction, _ contents: LibraryContents, new: LibraryMeta,
        mayRunAgain: Bool = false, mayWait: Bool = false, keepsUndo: Bool = false,
        _ body: (inout LibraryTransaction) throws -> Value
    ) throws -> Value {
        let (stored, meta) = try LibraryMeta.forWriting(
            trees, in: trees.storeNumber, new: new, known: trees.earlierMemo as? LibraryMeta)
        var library = LibraryTransaction(trees, meta: meta, storedMeta: stored)
        library.mayRunAgain = mayRunAgain
        if keepsUndo { library.before = RecordsBefore(of: contents.recordTrees) }
        let result = Result {
            // Reads within the first transaction of a library know it, too.
            if stored == nil { try library.putMeta() }
            try library.bringUpToDate(contents, mayWait: mayWait)
            let check = OrderCheck.isOn ? OrderCheck(before: library) : nil
            let value = try body(&library)
            try check?.run(on: library)
            try library.complete()
            return value
        }
        // The engine's transaction goes back to the engine also when the body threw, to be rolled back there.
        let neededKeys = library.neededKeys
        trees = library.engineTransaction()
        // Whatever the body made of the error.
        if let neededKeys { throw neededKeys }
        return try result.get()
    }
}
