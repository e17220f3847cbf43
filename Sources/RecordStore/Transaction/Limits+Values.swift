import StorageEngine

extension Limits {
    /// The engine would refuse it too, but only when half of the change is made.
    package static func checkValue(of byteCount: Int, _ name: @autoclosure () -> String) throws(LibraryError) {
        guard byteCount <= valueByteCount else {
            throw .invalidValue("\(name()) is larger than \(valueByteCount >> 20) MiB.")
        }
    }
}
