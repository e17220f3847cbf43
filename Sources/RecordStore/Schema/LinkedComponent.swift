/// A component of an order, of records whose type the caller does not know.
protocol LinkedComponent: Sendable {
    /// As a component of an order of records that name one which has the field.
    ///
    /// - Parameters:
    ///   - tag: of the field that names it.
    ///   - isFirst: whether that field is a list.
    ///   - words: what the error begins with.
    /// - Throws: `LibraryError.schemaMismatch` for one that is no field of its record.
    func declaration(
        linkedBy tag: UInt32, isFirst: Bool, _ words: String
    ) throws(LibraryError) -> OrderDeclaration.Component
}

extension OrderComponent: LinkedComponent {
    func declaration(
        linkedBy tag: UInt32, isFirst: Bool, _ words: String
    ) throws(LibraryError) -> OrderDeclaration.Component {
        guard occurrence == .always, linked == nil else {
            throw .schemaMismatch(
                "\(words) is by \(name ?? "a field") of \(Value.recordName), which is a list there, is left out where it is absent, or is of another "
                    + "record again. Name a field that every \(Value.recordName) has one of.")
        }
        guard Value.upgrades.isEmpty else {
            throw .schemaMismatch(
                "\(words) is by \(name ?? "a field") of \(Value.recordName), which has upgrades. Orders are made of what is stored, which upgrades change only "
                    + "as it is read: write those records anew with what the upgrade does, take it out, and keep its version: static let recordVersion = \(Value.recordVersion)."
            )
        }
        let own = try RecordKind<Value>.declaration(of: self, words)
        var declared = OrderDeclaration.Component(
            tag: tag, kind: own.kind, isOptional: own.isOptional, isDescending: own.isDescending,
            isAbsentFirst: own.isAbsentFirst, collation: own.collation, isBeginning: own.isBeginning,
            occurrence: isFirst ? .first : .always,
            linked: OrderDeclaration.LinkedField(kind: Value.recordName, tag: own.tag))
        if !own.isOptional, let value = RecordKind<Value>.emptyValue(ofTag: own.tag) {
            // As it is written: how it is filed depends on the library, and on the other fields of the record.
            var written = own
            (written.collation, written.isBeginning) = (.written, false)
            declared.partBlank = written.blank(value)
        }
        return declared
    }
}
