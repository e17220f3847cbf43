import StorageEngine

/// The entry that a record has in an order: its key, at first without the identifier, its value, the amounts, and its facets.
struct OrderEntry: Equatable {
    let key: [UInt8]
    let value: [UInt8]
    let facets: UInt16

    /// With the identifier behind the components.
    func with(_ id: UInt64) -> OrderEntry {
        var key = key
        key.append(bigEndian: id)
        return OrderEntry(key: key, value: value, facets: facets)
    }
}

extension OrderDeclaration {
    /// Made of the record's bytes alone.
    ///
    /// - Throws: `RecordProblem` for a value that no order takes: a text that is too long, an amount out of range, a field of another
    ///   kind than was declared.
    func entry(of record: [UInt8]) throws(RecordProblem) -> OrderEntry {
        var places = try places(in: record)
        if places.contains(where: { $0.isMissing }) {
            let blanks = try self.places(in: blank)
            for index in places.indices where places[index].isMissing && !isOptional(index) {
                places[index] = blanks[index].from(blank)
            }
        }
        var key: [UInt8] = []
        for (component, place) in zip(components, places) { key += try component.bytes(place.value(in: record)) }
        guard key.count + 8 <= StorageEngine.Limits.keyByteCount.upperBound else {
            throw RecordProblem(
                "its fields come to \(key.count) bytes in an order, which has room for "
                    + "\(StorageEngine.Limits.keyByteCount.upperBound - 8)")
        }
        var value: [UInt8] = []
        for (sum, place) in zip(sums, places[components.count...]) {
            let amount = UInt64(bitPattern: try sum.amount(place.value(in: record)) ?? .min)
            for byte in 0..<8 { value.append(UInt8(truncatingIfNeeded: amount >> UInt64(8 * byte))) }
        }
        var bits: UInt16 = 0
        for (index, place) in places[(components.count + sums.count)...].enumerated()
        where try facets[index].holds(for: place.value(in: record)) {
            bits |= 1 << UInt16(index)
        }
        return OrderEntry(key: key, value: value, facets: bits)
    }

    private func isOptional(_ index: Int) -> Bool {
        if index < components.count { return components[index].isOptional }
        let rest = index - components.count
        return rest < sums.count ? sums[rest].isOptional : facets[rest - sums.count].isOptional
    }

    /// Where the fields of the components, then of the sums, then of the facets lie: one walk.
    private func places(in record: [UInt8]) throws(RecordProblem) -> [FieldPlace] {
        var places = [FieldPlace](repeating: .missing, count: components.count + sums.count + facets.count)
        var walk = TaggedWalk(record, 0..<record.count)
        while let (tag, place) = try walk.next() {
            for (index, component) in components.enumerated() where component.tag == tag {
                places[index] = FieldPlace(place)
            }
            for (index, sum) in sums.enumerated() where sum.tag == tag {
                places[components.count + index] = FieldPlace(place)
            }
            for (index, facet) in facets.enumerated() where facet.tag == tag {
                places[components.count + sums.count + index] = FieldPlace(place)
            }
        }
        return places
    }
}

/// Where a field lies in a record, or what the blank one has in its place.
private enum FieldPlace {
    case missing
    case number(UInt64)
    case bytes(Range<Int>)
    case elsewhere([UInt8])

    init(_ place: TaggedPlace) {
        switch place {
        case .missing: self = .missing
        case .number(let number): self = .number(number)
        case .bytes(let range): self = .bytes(range)
        }
    }

    var isMissing: Bool {
        if case .missing = self { true } else { false }
    }

    func from(_ blank: [UInt8]) -> FieldPlace {
        if case .bytes(let range) = self { .elsewhere(Array(blank[range])) } else { self }
    }

    func value(in record: [UInt8]) -> TaggedValue? {
        switch self {
        case .missing: nil
        case .number(let number): .number(number)
        case .bytes(let range): .bytes(Array(record[range]))
        case .elsewhere(let bytes): .bytes(bytes)
        }
    }
}

extension OrderDeclaration.Component {
    /// A component of a key: whether it is there, and bytes that order as the values do, inverted where they descend.
    func bytes(_ value: TaggedValue?) throws(RecordProblem) -> [UInt8] {
        guard let value = value ?? (isOptional ? nil : kind.zero) else { return [isAbsentFirst ? 0 : 0xFF] }
        let ordered = try kind.ordered(value, isFolded: isFolded)
        return [1] + (isDescending ? ordered.map { ~$0 } : ordered)
    }

    /// Longer texts are refused.
    fileprivate static let maximumTextByteCount = 300
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
        guard let value = value ?? (isOptional ? nil : kind.zero) else { return [0xFF] }
        return [1] + (try kind.ordered(value, isFolded: false, limit: .max))
    }

    func holds(for field: TaggedValue?) throws(RecordProblem) -> Bool {
        let found = try Self.bytes(field, kind, isOptional: isOptional)
        switch comparison {
        case .equal: return found == value
        case .unequal: return found != value
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            // What is absent is neither less nor greater.
            guard found.first == 1, value.first == 1 else { return false }
        }
        let isLess = found.lexicographicallyPrecedes(value)
        let isEqual = found == value
        switch comparison {
        case .less: return isLess
        case .lessOrEqual: return isLess || isEqual
        case .greater: return !isLess && !isEqual
        default: return !isLess
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

    fileprivate func ordered(
        _ value: TaggedValue, isFolded: Bool, limit: Int = OrderDeclaration.Component.maximumTextByteCount
    ) throws(RecordProblem) -> [UInt8] {
        let ordered: OrderedBytes =
            switch self {
            case .signed: .signed(try value.signed)
            case .number: .number(try value.number)
            case .real: .number(Double(bitPattern: try value.number))
            case .text:
                .text(
                    isFolded
                        ? Self.folded(try value.bytes) : Array(String(decoding: try value.bytes, as: UTF8.self).utf8))
            case .bytes: .text(try value.bytes)
            }
        if case .text(let text) = ordered, text.count > limit {
            throw RecordProblem("a text of \(text.count) bytes is too long for an order, which takes up to \(limit)")
        }
        return ordered.inKey
    }

    /// Of nothing but punctuation every text would be one.
    private static func folded(_ text: [UInt8]) -> [UInt8] {
        let folded = FoldedText(utf8: Array(String(decoding: text, as: UTF8.self).utf8)[...])
        return folded.isEmpty ? text : folded.bytes
    }
}
