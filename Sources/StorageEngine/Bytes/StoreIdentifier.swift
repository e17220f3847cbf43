/// Sixteen random bytes that every file of a store carries, so that no other store's file is taken for its own.
struct StoreIdentifier: Sendable, Hashable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "a store identifier has 16 bytes")
        self.bytes = bytes
    }

    static func random() -> StoreIdentifier {
        var generator = SystemRandomNumberGenerator()
        return StoreIdentifier(bytes: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// As much of it as an event of the history has room for.
    var beginning: UInt64 { bytes.withBytes { $0.load(Field<UInt64>("beginning", at: 0)) } }
}
