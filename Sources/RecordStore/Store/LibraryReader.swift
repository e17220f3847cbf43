/// Where reading off the caller's actor happens.
actor LibraryReader {
    func read<Value: Sendable, Failure: Error>(
        _ store: RecordLibrary, _ body: @Sendable (Snapshot) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(store.snapshot)
    }
}
