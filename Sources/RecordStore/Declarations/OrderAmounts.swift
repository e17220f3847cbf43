import StorageEngine

/// The amounts that an entry of an order has as its value: of each sum, and then the unit of each sum that has one. `Int64.min`
/// stands for what is absent.
extension OrderDeclaration.Stand {
    /// - Parameter element: the one that the record stands there for.
    func amounts(_ source: inout FieldSource, of element: ListElement? = nil) throws(RecordProblem) -> [UInt8] {
        guard !sums.isEmpty else { return [] }
        var value: [UInt8] = []
        value.reserveCapacity(16 * sums.count)
        for sum in sums {
            let found =
                sum.partTag == nil ? try source.value(sum.tag, sum.isOptional) : element?.value(sum.partTag)
            value.append(amount: try sum.amount(found))
        }
        for (index, sum) in sums.enumerated() {
            guard let unit = sum.unit else { continue }
            let isThere = value.amount(at: index) != nil
            value.append(amount: isThere ? try unit.amount(source.value(unit.tag, unit.isOptional)) : nil)
        }
        return value
    }

    /// The amounts of two entries with the same key as those of one.
    ///
    /// - Parameter areParts: whether they are of two elements of a list: what is summed of the record itself counts once.
    func adding(_ left: [UInt8], _ right: [UInt8], areParts: Bool = false) throws(RecordProblem) -> [UInt8] {
        var value: [UInt8] = []
        var units: [UInt8] = []
        var unitIndex = sums.count
        for (index, sum) in sums.enumerated() {
            let amounts = (left.amount(at: index), right.amount(at: index))
            let isShared = areParts && sum.partTag == nil
            value.append(amount: isShared ? amounts.0 : try Self.sum(amounts.0, amounts.1))
            guard let unit = sum.unit else { continue }
            let found = (left.amount(at: unitIndex), right.amount(at: unitIndex))
            if let one = found.0, let other = found.1, one != other {
                throw RecordProblem(
                    "amounts in \(unit.words(of: one)) and in \(unit.words(of: other)) would be added at one place of it"
                )
            }
            units.append(amount: found.0 ?? found.1)
            unitIndex += 1
        }
        return value + units
    }

    private static func sum(_ left: Int64?, _ right: Int64?) throws(RecordProblem) -> Int64? {
        guard let left, let right else { return left ?? right }
        let (sum, overflows) = left.addingReportingOverflow(right)
        guard !overflows, sum > .min else {
            throw RecordProblem("the amounts \(left) and \(right) at one place of it add up to more than fits")
        }
        return sum
    }
}

extension OrderDeclaration.Sum {
    /// `nil` when there is none.
    func amount(_ value: TaggedValue?) throws(RecordProblem) -> Int64? {
        guard let value else { return isOptional ? nil : 0 }
        let amount = try value.signed
        guard amount > .min else { throw RecordProblem("\(amount) is too small for a sum") }
        return isNegated ? -amount : amount
    }
}

extension OrderDeclaration.Unit {
    /// A number that no other unit has: of a text its bytes, the first the highest.
    fileprivate func amount(_ value: TaggedValue?) throws(RecordProblem) -> Int64 {
        guard let value = value ?? (isOptional ? nil : kind.zero) else { return Self.absent }
        let amount: Int64
        switch kind {
        case .text, .bytes:
            let bytes = try value.bytes
            guard bytes.count <= Self.maximumByteCount, !bytes.contains(0) else {
                throw RecordProblem(
                    "“\(String(decoding: bytes, as: UTF8.self))” is no unit of sums, which has up to "
                        + "\(Self.maximumByteCount) bytes, such as EUR")
            }
            amount = (0..<Self.maximumByteCount).reduce(0) { $0 << 8 | Int64($1 < bytes.count ? bytes[$1] : 0) }
        case .signed: amount = try value.signed
        case .number, .real: amount = Int64(bitPattern: try value.number)
        }
        guard amount > Self.absent else { throw RecordProblem("\(amount) is too small for a unit of sums") }
        return amount
    }

    /// Stands for the unit of what has none.
    private static let absent = Int64.min + 1

    static let maximumByteCount = 7

    /// For people.
    func words(of amount: Int64) -> String {
        guard amount != Self.absent else { return "no unit" }
        switch kind {
        case .text, .bytes:
            let places = (0..<Self.maximumByteCount).reversed()
            let bytes = places.map { UInt8(truncatingIfNeeded: amount >> (8 * Int64($0))) }.prefix { $0 != 0 }
            return bytes.isEmpty ? "an empty unit" : String(decoding: bytes, as: UTF8.self)
        case .signed: return "\(amount)"
        case .number, .real: return "\(UInt64(bitPattern: amount))"
        }
    }
}

extension [UInt8] {
    /// `nil` for an absent one. As columns count them: little-endian.
    fileprivate mutating func append(amount: Int64?) {
        append(bigEndian: UInt64(bitPattern: amount ?? .min).byteSwapped)
    }

    func amount(at index: Int) -> Int64? { withBytes { $0.amount(index) } }
}
