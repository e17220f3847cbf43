import StorageEngine

/// The entry that a record has in an order: its key, at first without the identifier, and its value, the amounts.
struct OrderEntry: Equatable {
    let key: [UInt8]
    let value: [UInt8]

    /// With the identifier behind the components.
    func with(_ id: UInt64) -> OrderEntry {
        var key = key
        key.append(bigEndian: id)
        return OrderEntry(key: key, value: value)
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
        return OrderEntry(key: key, value: value)
    }

    private func isOptional(_ index: Int) -> Bool {
        index < components.count ? components[index].isOptional : sums[index - components.count].isOptional
    }

    /// Where the fields of the components, and then of the sums, lie: one walk.
    private func places(in record: [UInt8]) throws(RecordProblem) -> [FieldPlace] {
        var places = [FieldPlace](repeating: .missing, count: components.count + sums.count)
        var walk = TaggedWalk(record, 0..<record.count)
        while let (tag, place) = try walk.next() {
            for (index, component) in components.enumerated() where component.tag == tag {
                places[index] = FieldPlace(place)
            }
            for (index, sum) in sums.enumerated() where sum.tag == tag {
                places[components.count + index] = FieldPlace(place)
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
    ///
    /// Texts and bytes have each zero byte followed by `FF` and end with two, so that what begins another comes before it.
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

extension FieldKind {
    /// What a field has that was never written.
    fileprivate var zero: TaggedValue {
        switch self {
        case .signed, .number, .real: .number(0)
        case .text, .bytes: .bytes([])
        }
    }

    fileprivate func ordered(_ value: TaggedValue, isFolded: Bool) throws(RecordProblem) -> [UInt8] {
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
        switch ordered {
        case .fixed(let bytes): return bytes
        case .text(let text):
            guard text.count <= OrderDeclaration.Component.maximumTextByteCount else {
                throw RecordProblem(
                    "a text of \(text.count) bytes is too long for an order, which takes up to "
                        + "\(OrderDeclaration.Component.maximumTextByteCount)")
            }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count + 2)
            for byte in text {
                bytes.append(byte)
                if byte == 0 { bytes.append(0xFF) }
            }
            return bytes + [0, 0]
        }
    }

    /// Of nothing but punctuation every text would be one.
    private static func folded(_ text: [UInt8]) -> [UInt8] {
        let folded = FoldedText(utf8: Array(String(decoding: text, as: UTF8.self).utf8)[...])
        return folded.isEmpty ? text : folded.bytes
    }
}
