import StorageEngine

/// The entry that a record has in an order: its key, at first without the identifier, its value, the amounts, and its facets.
struct OrderEntry: Equatable {
    let key: [UInt8]
    let value: [UInt8]
    let facets: UInt16

    /// With the identifier behind the components.
    func with(_ id: UInt64) -> OrderEntry {
        var key: [UInt8] = []
        key.reserveCapacity(self.key.count + 8)
        key += self.key
        key.append(bigEndian: id)
        return OrderEntry(key: key, value: value, facets: facets)
    }
}

extension OrderDeclaration {
    /// Made of the record's bytes alone.
    ///
    /// - Throws: `RecordProblem` for a value that no order takes: a text that is too long, an amount out of range, a field of another
    ///   kind than was declared.
    func entry(of record: [UInt8]) throws(RecordProblem) -> OrderEntry { try entry(of: RecordFields(record)) }

    /// The same for a record whose fields were found already: several orders share one walk.
    func entry(of fields: RecordFields) throws(RecordProblem) -> OrderEntry {
        var source = FieldSource(fields, blank: blank)
        var key: [UInt8] = []
        // Room for numbers and the identifier; texts make it grow.
        key.reserveCapacity(9 * components.count + 8)
        for component in components {
            try component.append(source.value(component.tag, component.isOptional), to: &key)
        }
        guard key.count + 8 <= StorageEngine.Limits.keyByteCount.upperBound else {
            throw RecordProblem(
                "its fields come to \(key.count) bytes in an order, which has room for "
                    + "\(StorageEngine.Limits.keyByteCount.upperBound - 8)")
        }
        var value: [UInt8] = []
        if !sums.isEmpty { value.reserveCapacity(8 * sums.count) }
        for sum in sums {
            let amount = try sum.amount(source.value(sum.tag, sum.isOptional)) ?? .min
            value.append(bigEndian: UInt64(bitPattern: amount).byteSwapped)
        }
        var bits: UInt16 = 0
        var found: [UInt8] = []
        for (index, facet) in facets.enumerated() {
            found.removeAll(keepingCapacity: true)
            try facet.append(source.value(facet.tag, facet.isOptional), to: &found)
            if facet.holds(for: found) { bits |= 1 << UInt16(index) }
        }
        return OrderEntry(key: key, value: value, facets: bits)
    }
}

/// The fields of a record, and those of the blank one for fields that it lacks and that are not optional.
private struct FieldSource {
    private let fields: RecordFields
    private let blank: [UInt8]
    /// The blank record is walked only when a field is missing.
    private var blankFields: RecordFields?

    init(_ fields: RecordFields, blank: [UInt8]) {
        self.fields = fields
        self.blank = blank
    }

    mutating func value(_ tag: UInt32, _ isOptional: Bool) throws(RecordProblem) -> TaggedValue? {
        if let value = fields[tag] { return value }
        guard !isOptional, !blank.isEmpty else { return nil }
        if blankFields == nil { blankFields = try RecordFields(blank) }
        return blankFields?[tag]
    }
}

extension OrderDeclaration.Component {
    /// A component of a key: whether it is there, and bytes that order as the values do, inverted where they descend.
    func bytes(_ value: TaggedValue?) throws(RecordProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        try append(value, to: &bytes)
        return bytes
    }

    fileprivate func append(_ value: TaggedValue?, to key: inout [UInt8]) throws(RecordProblem) {
        guard let value = value ?? (isOptional ? nil : kind.zero) else { return key.append(isAbsentFirst ? 0 : 0xFF) }
        key.append(1)
        let start = key.count
        let ordered = try kind.ordered(value, isFolded: isFolded)
        guard ordered.textByteCount <= Self.maximumTextByteCount else {
            throw RecordProblem(
                "a text of \(ordered.textByteCount) bytes is too long for an order, which takes up to "
                    + "\(Self.maximumTextByteCount)")
        }
        ordered.append(to: &key)
        if isDescending { for index in start..<key.count { key[index] = ~key[index] } }
    }

    /// Longer texts are refused.
    private static let maximumTextByteCount = 300
}

extension OrderDeclaration.Sum {
    /// `nil` when there is none.
    func amount(_ value: TaggedValue?) throws(RecordProblem) -> Int64? {
        guard let value else { return isOptional ? nil : 0 }
        let amount = try value.signed
        guard amount > .min else { throw RecordProblem("\(amount) is too small for a sum") }
        return amount
    }
}

extension OrderDeclaration.Facet {
    /// How the value is written that the field is compared with, and the field. Texts may have any length here.
    static func bytes(_ value: TaggedValue?, _ kind: FieldKind, isOptional: Bool) throws(RecordProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        try append(value, kind, isOptional: isOptional, to: &bytes)
        return bytes
    }

    fileprivate func append(_ field: TaggedValue?, to bytes: inout [UInt8]) throws(RecordProblem) {
        try Self.append(field, kind, isOptional: isOptional, to: &bytes)
    }

    private static func append(
        _ value: TaggedValue?, _ kind: FieldKind, isOptional: Bool, to bytes: inout [UInt8]
    ) throws(RecordProblem) {
        guard let value = value ?? (isOptional ? nil : kind.zero) else { return bytes.append(0xFF) }
        bytes.append(1)
        try kind.ordered(value, isFolded: false).append(to: &bytes)
    }

    /// Whether the condition holds for a field that is written so.
    fileprivate func holds(for found: [UInt8]) -> Bool {
        // What is absent is neither less nor greater.
        let isOrdered = found.first == 1 && value.first == 1
        return switch comparison {
        case .equal: found == value
        case .unequal: found != value
        case .less: isOrdered && found.lexicographicallyPrecedes(value)
        case .lessOrEqual: isOrdered && !value.lexicographicallyPrecedes(found)
        case .greater: isOrdered && value.lexicographicallyPrecedes(found)
        case .greaterOrEqual: isOrdered && !found.lexicographicallyPrecedes(value)
        }
    }
}

extension FieldKind {
    /// What a field has that was never written.
    fileprivate var zero: TaggedValue {
        switch self {
        case .signed, .number, .real: .number(0)
        case .text, .bytes: .bytes([])
        }
    }

    fileprivate func ordered(_ value: TaggedValue, isFolded: Bool) throws(RecordProblem) -> OrderedBytes {
        switch self {
        case .signed: .signed(try value.signed)
        case .number: .number(try value.number)
        case .real: .number(Double(bitPattern: try value.number))
        case .text: .text(isFolded ? FoldedText.key(of: try value.bytes) : (try value.bytes).repairedText)
        case .bytes: .text(try value.bytes)
        }
    }
}
