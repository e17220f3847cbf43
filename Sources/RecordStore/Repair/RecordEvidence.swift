import StorageEngine

/// What orders and links of a damaged library say of declared records that are gone.
struct RecordEvidence {
    struct Lost {
        /// As far as an order has a field as it is.
        var fields: [UInt32: TaggedValue] = [:]
        /// How many links name it.
        var linkCount = 0
    }

    /// By the names of kinds.
    private(set) var lost: [String: [UInt64: Lost]] = [:]

    /// Kinds of which an order that is whole has every record: all that is lost of them has a name.
    private(set) var registered: Set<String> = []

    mutating func noteRegister(of kind: String) { registered.insert(kind) }

    mutating func add(_ key: [UInt8], _ value: [UInt8], of order: StoredOrderEntry) {
        let known = order.order?.declaration.storedFields(of: key, value) ?? [:]
        lost[order.kind, default: [:]][key.number(at: key.count - 8), default: Lost()].fields.merge(known) { $1 }
    }

    mutating func addLink(to id: UInt64, of kind: String, count: Int) {
        lost[kind, default: [:]][id, default: Lost()].linkCount += count
    }
}

extension OrderDeclaration {
    /// The fields that an entry has as they are stored: numbers, and texts that stand as they are written. None of an order where a record has
    /// several places.
    fileprivate func storedFields(of key: [UInt8], _ value: [UInt8]) -> [UInt32: TaggedValue] {
        guard stands.count == 1, let stand = stands.first, stand.list == nil else { return [:] }
        var fields: [UInt32: TaggedValue] = [:]
        var position = 0
        for component in stand.components {
            // What code works out has a form that only the code knows.
            guard component.computed == nil, position < key.count - 8 else { break }
            guard key[position] == 1 else {
                position += 1
                continue
            }
            let found: TaggedValue
            switch component.kind {
            case .signed, .number, .real:
                guard position + 9 <= key.count - 8 else { return fields }
                let bits = key.number(at: position + 1)
                found = component.kind.stored(orderedBits: component.isDescending ? ~bits : bits)
                position += 9
            case .text, .bytes:
                guard let text = component.text(in: key, from: position) else { return fields }
                found = .bytes(text)
                let byteCount = text.count + text.count { $0 == 0 }
                position += 1 + byteCount + 2
                // Of a long text a key may have the beginning alone; a zero that did not fit leaves a byte of room.
                if component.isBeginning, byteCount >= textByteCount - 1 { continue }
            }
            guard component.collation == .written, component.linked == nil, component.partTag == nil,
                component.occurrence != .first
            else {
                continue
            }
            fields[component.tag] = found
        }
        for (index, sum) in stand.sums.enumerated() where sum.partTag == nil {
            guard let amount = value.amount(at: index) else { continue }
            let (own, overflows) = sum.isNegated ? (0 as Int64).subtractingReportingOverflow(amount) : (amount, false)
            guard !overflows else { continue }
            fields[sum.tag] = sum.kind == .signed ? .signed(own) : .number(UInt64(bitPattern: own))
        }
        return fields
    }
}

extension FieldKind {
    /// A number by the bits that order as it does.
    fileprivate func stored(orderedBits bits: UInt64) -> TaggedValue {
        switch self {
        case .signed: .signed(Int64(bitPattern: bits ^ 1 << 63))
        case .real: .eightBytes(bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits)
        case .number, .text, .bytes: .number(bits)
        }
    }
}
