/// A kind of records whose type the caller does not know.
protocol AnyRecordKind: RecordCode {
    var type: ObjectIdentifier { get }

    /// The fields that the type reads.
    var described: KindFields { get }

    var fieldRevisions: KindFields.Revisions { get }

    /// Whether the type has the code that the keys of an order are made by.
    func canMake(_ declaration: OrderDeclaration) -> Bool

    /// What the type declares of a link that the library has; `nil` where it says nothing of the field.
    func action(of link: StoredLink) -> LinkAction?
}

extension [any AnyRecordKind] {
    /// What the types say of fields that were others before.
    var fieldRevisions: KindFields.Revisions {
        reduce(into: KindFields.Revisions()) { revisions, type in
            revisions.renamed += type.fieldRevisions.renamed
            revisions.retyped.formUnion(type.fieldRevisions.retyped)
        }
    }
}

extension RecordKind: AnyRecordKind {
    var type: ObjectIdentifier { ObjectIdentifier(Value.self) }

    func canMake(_ declaration: OrderDeclaration) -> Bool {
        declaration.recordVersion == upgradedVersion && declaration.computed.allSatisfy { computedValues[$0] != nil }
            && hasDefaults(of: declaration)
    }

    func action(of link: StoredLink) -> LinkAction? {
        if endedLinks.contains(where: { $0.isPlace(of: link.field) }) { return .keep }
        guard let declared = links.first(where: { $0.field.isPlace(of: link.field) }) else { return nil }
        return declared.target == link.target && declared.field == link.field ? declared.action : .keep
    }
}

extension RecordKind: RecordCode {
    func value(
        of field: OrderDeclaration.ComputedField, inBytes bytes: [UInt8], id: UInt64
    ) throws(RecordProblem) -> [UInt8] {
        guard let value = computedValues[field] else {
            throw RecordProblem("“\(field.name)”, version \(field.version), is not worked out by \(name)")
        }
        do throws(LibraryError) {
            return try value(try decode(bytes, id: ID(rawValue: id))).bytes
        } catch {
            throw RecordProblem(error.sentence)
        }
    }

    func upgraded(_ bytes: [UInt8], id: UInt64) throws(RecordProblem) -> [UInt8] {
        do throws(LibraryError) {
            // With what the type does not know of them, by which another may order them.
            return try encode(try decode(bytes, id: ID(rawValue: id)), replacing: bytes)
        } catch {
            throw RecordProblem(error.sentence)
        }
    }
}
