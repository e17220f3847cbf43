import StorageEngine

/// The fields of a record, found in one walk for all the orders of its kind.
///
/// Costs one allocation; a number is read from here, and bytes are copied only when they are asked for.
struct RecordFields {
    private let record: [UInt8]
    /// Ascending by tag. Of fields with the same tag, the last.
    private var fields: [(tag: UInt32, place: TaggedPlace)] = []

    /// The records that it names by some fields, as far as orders are by theirs.
    private var named: [NamedRecord] = []

    /// What code of the app works out of it, as far as orders are by that.
    private var computed: ComputedValues?

    init(_ record: [UInt8]) throws(RecordProblem) {
        self.record = record
        fields.reserveCapacity(16)
        try record.withBytes { (bytes) throws(RecordProblem) in
            var cursor = RecordCursor()
            while let field = try cursor.next(in: bytes) {
                if fields.last?.tag == field.tag { fields.removeLast() }
                fields.append((field.tag, TaggedPlace(field.content)))
            }
        }
    }

    /// What the record has under a tag; `nil` when it lacks the field.
    subscript(tag: UInt32) -> TaggedValue? {
        // A record has a dozen fields, fewer than a better search would pay for.
        for index in fields.indices where fields[index].tag == tag {
            switch fields[index].place {
            case .missing: return nil
            case .number(let number): return .number(number)
            case .bytes(let range): return .bytes(Array(record[range]))
            }
        }
        return nil
    }

    /// The record that a component is a field of; `nil` when there is none.
    func named(by component: OrderDeclaration.Component) -> RecordFields? {
        named.first { $0.isNamed(by: component) }?.fields
    }

    /// What code of the app works out of the record, as a component of a key.
    ///
    /// - Throws: `RecordProblem` when the code is not here, or fails.
    func value(of computed: OrderDeclaration.ComputedField) throws(RecordProblem) -> [UInt8] {
        guard let result = self.computed?.values[computed] else {
            throw RecordProblem(
                "“\(computed.name)”, version \(computed.version), is worked out by code that this app does not have")
        }
        return try result.get()
    }

    /// The fields as an order is made of them: those of a record of an earlier version as the app's upgrades leave it.
    ///
    /// - Throws: `RecordProblem` when the upgrades are not here, or fail.
    func fields(ofVersion version: Int) throws(RecordProblem) -> RecordFields {
        guard version > 1, writtenVersion < version else { return self }
        guard let result = computed?.upgraded[version] else {
            throw RecordProblem(
                "it was written by version \(writtenVersion), which upgrades of version \(version) change that this app does not have"
            )
        }
        return try result.get()
    }

    /// The version of the type that wrote the record.
    private var writtenVersion: Int {
        guard let first = fields.first, first.tag == FieldNumber.versionTag, case .number(let number) = first.place
        else { return 1 }
        return Int(clamping: number)
    }

    /// Looks up what else than these fields decides where the record belongs in some orders: records that it names, and what code works out.
    ///
    /// - Parameters:
    ///   - owner: whose fields these are. Where a record names itself, they are what it has.
    ///   - changed: records that are about to be what these fields say, or to be gone.
    mutating func complete(
        for orders: [StoredOrder], of owner: (kind: String, id: UInt64),
        considering changed: [LinkedRecord: RecordFields?] = [:],
        in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) {
        for order in orders where order.declaration.needsCode {
            try complete(for: order, of: owner, considering: changed, in: trees)
        }
        for order in orders where !order.declaration.linked.isEmpty {
            for component in order.declaration.linked where !named.contains(where: { $0.isNamed(by: component) }) {
                guard let link = component.link, let kind = component.linked?.kind else { continue }
                var found: RecordFields?
                if let id = try? link.identifiers(in: record).first, id != 0 {
                    if let fields = changed[LinkedRecord(target: .records(kind), id: id)] {
                        found = fields
                    } else if (kind, id) == owner {
                        found = self
                    } else {
                        let bytes = try trees.recordBytes(id, ofKind: kind)
                        // One that cannot be read is reported where it is read.
                        found = bytes.flatMap { try? RecordFields($0) }
                    }
                }
                named.append(NamedRecord(tag: component.tag, kind: kind, fields: found))
            }
        }
    }

    /// The same of an order that code of the app makes.
    private mutating func complete(
        for order: StoredOrder, of owner: (kind: String, id: UInt64),
        considering changed: [LinkedRecord: RecordFields?],
        in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) {
        let declaration = order.declaration
        guard let code = (trees.attachment as? any RecordCodeSource)?.code(for: declaration, ofKind: owner.kind)
        else { return }
        let known = computed ?? ComputedValues()
        computed = known
        for field in declaration.computed where known.values[field] == nil {
            known.values[field] = Result { () throws(RecordProblem) in
                try code.value(of: field, inBytes: record, id: owner.id)
            }
        }
        let version = declaration.recordVersion
        guard version > writtenVersion, known.upgraded[version] == nil else { return }
        var result = Result { () throws(RecordProblem) in try RecordFields(try code.upgraded(record, id: owner.id)) }
        if !declaration.linked.isEmpty, case .success(var fields) = result {
            try fields.complete(for: [order], of: owner, considering: changed, in: trees)
            result = .success(fields)
        }
        known.upgraded[version] = result
    }
}

/// What code of the app makes of a record.
private final class ComputedValues {
    var values: [OrderDeclaration.ComputedField: Result<[UInt8], RecordProblem>] = [:]
    /// By the version that the app's upgrades have brought it to.
    var upgraded: [Int: Result<RecordFields, RecordProblem>] = [:]
}

/// A record that another one names.
private final class NamedRecord {
    /// Of the field that names it.
    let tag: UInt32
    let kind: String
    let fields: RecordFields?

    init(tag: UInt32, kind: String, fields: RecordFields?) { (self.tag, self.kind, self.fields) = (tag, kind, fields) }

    func isNamed(by component: OrderDeclaration.Component) -> Bool {
        tag == component.tag && kind == component.linked?.kind
    }
}
