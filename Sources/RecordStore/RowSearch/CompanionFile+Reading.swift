import StorageEngine

extension CompanionFile {
    /// What `body` makes of bytes of the body, which it sees in place; `nil` when they are not what was written, or not there.
    func withBytes<Value, Failure>(
        _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        var made: Result<Value, Failure>?
        lendBytes(range) { bytes in
            do throws(Failure) { made = .success(try body(bytes)) } catch { made = .failure(error) }
        }
        return try made?.get()
    }
}
