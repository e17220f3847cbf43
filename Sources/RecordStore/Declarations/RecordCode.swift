import StorageEngine

/// Code of an app that the keys of some orders are made by: what it computes of a record, and its upgrades.
protocol RecordCode: Sendable {
    /// The value of a computed field as the component of a key.
    ///
    /// - Throws: `RecordProblem` for bytes that are no such record, and for a value that has no order.
    func value(
        of field: OrderDeclaration.ComputedField, inBytes bytes: [UInt8], id: UInt64
    ) throws(RecordProblem) -> [UInt8]

    /// The record as the app's upgrades leave it.
    ///
    /// - Throws: `RecordProblem` for bytes that are no such record.
    func upgraded(_ bytes: [UInt8], id: UInt64) throws(RecordProblem) -> [UInt8]
}

/// Knows the code of the types that an open library has met.
protocol RecordCodeSource {
    /// The code that an order is made by; `nil` where no type that was met has all of it, in these versions.
    func code(for declaration: OrderDeclaration, ofKind kind: String) -> (any RecordCode)?
}

extension TreeReadable where Self: ~Copyable {
    /// Whether keys of an order can be made here.
    func canMake(_ declaration: OrderDeclaration, ofKind kind: String) -> Bool {
        guard !declaration.isFoldedOtherwise else { return false }
        return !declaration.needsCode
            || (attachment as? any RecordCodeSource)?.code(for: declaration, ofKind: kind) != nil
    }
}
