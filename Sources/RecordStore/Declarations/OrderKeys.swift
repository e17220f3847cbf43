import StorageEngine

/// An entry that a record has in an order: its key, which ends with the record's identifier, its value, the amounts, and its facets.
package struct OrderEntry: Equatable {
    /// The place of the order among those that entries were made for.
    let order: Int
    let key: [UInt8]
    let value: [UInt8]
    let facets: UInt16

    /// Whether the entry is before another of the same record: by order, and within an order by key.
    func precedes(_ other: OrderEntry) -> Bool {
        order == other.order ? key.lexicographicallyPrecedes(other.key) : order < other.order
    }
}

extension OrderDeclaration {
    /// Makes the entries of a record in the order, ascending: one as a rule. They are put behind those of other orders, of one walk of
    /// the record's bytes.
    ///
    /// - Throws: `RecordProblem` for a value that no order takes: a text that is too long, an amount out of range, a field of another
    ///   kind than was declared.
    func appendEntries(
        of fields: RecordFields, _ id: UInt64, _ order: Int, to entries: inout [OrderEntry]
    ) throws(RecordProblem) {
        var source = FieldSource(try fields.fields(ofVersion: recordVersion), as: fields, blank: blank)
        let facets = try facetBits(&source)
        let first = entries.count
        for stand in stands {
            let start = entries.count
            guard let list = stand.list else {
                if let key = try key(of: stand, nil, id, &source) {
                    entries.append(
                        OrderEntry(order: order, key: key, value: try stand.amounts(&source), facets: facets))
                }
                continue
            }
            let elements = try source.elements(list.tag)
            guard !elements.isEmpty else { continue }
            guard elements.count <= Self.maximumElementCount else {
                throw RecordProblem(
                    "a list of \(elements.count) elements is too long for an order, which takes up to "
                        + "\(Self.maximumElementCount)")
            }
            var value = try stand.amounts(&source)
            for content in elements {
                let element = try ListElement(content, isPart: list.partTag != nil)
                guard let key = try key(of: stand, element, id, &source) else { break }
                if stand.sumsParts { value = try stand.amounts(&source, of: element) }
                entries.append(OrderEntry(order: order, key: key, value: value, facets: facets))
            }
            // At equal elements a record stands once.
            try Self.unite(&entries, from: start) { (entry, other) throws(RecordProblem) in
                guard stand.sumsParts else { return entry }
                let value = try stand.adding(entry.value, other.value, areParts: true)
                return OrderEntry(order: order, key: entry.key, value: value, facets: facets)
            }
        }
        try Self.unite(&entries, from: first) { (entry, other) throws(RecordProblem) in
            OrderEntry(
                order: order, key: entry.key, value: try stands[0].adding(entry.value, other.value), facets: facets)
        }
    }

    /// For each there is an entry to write with the record.
    private static let maximumElementCount = 4096

    /// Sorts the last entries, and makes one of those with the same key.
    private static func unite(
        _ entries: inout [OrderEntry], from start: Int,
        _ united: (OrderEntry, OrderEntry) throws(RecordProblem) -> OrderEntry
    ) throws(RecordProblem) {
        guard entries.count > start + 1 else { return }
        let sorted = entries[start...].sorted { $0.precedes($1) }
        entries.removeSubrange(start...)
        for entry in sorted {
            if entries.count > start, let last = entries.last, last.key == entry.key {
                entries[entries.count - 1] = try united(last, entry)
            } else {
                entries.append(entry)
            }
        }
    }

    /// - Parameter element: that of the list which the stand has a place for each of.
    /// - Returns: `nil` for a record that does not stand there.
    private func key(
        of stand: Stand, _ element: ListElement?, _ id: UInt64, _ source: inout FieldSource
    ) throws(RecordProblem) -> [UInt8]? {
        var key: [UInt8] = []
        // Room for numbers and the identifier; texts make it grow.
        key.reserveCapacity(9 * (stand.components.count + tail.count) + 8)
        // By index: a copy of a component counts references, for every record.
        for index in stand.components.indices {
            let found = try source.content(of: stand.components[index], element)
            if found.isNothing, stand.components[index].occurrence == .present { return nil }
            do throws(RecordProblem) {
                try stand.components[index].append(found, to: &key, textByteCount: textByteCount)
            } catch {
                guard let other = stand.components[index].linked?.kind else { throw error }
                throw RecordProblem("of the \(other) that it names, \(error.description)")
            }
        }
        for index in tail.indices {
            try tail[index].append(try source.content(of: tail[index], nil), to: &key)
        }
        guard key.count <= StorageEngine.Limits.keyByteCount.upperBound - 8 else {
            throw RecordProblem(
                "its fields come to \(key.count) bytes in an order, which has room for "
                    + "\(StorageEngine.Limits.keyByteCount.upperBound - 8)")
        }
        key.append(bigEndian: id)
        return key
    }

    /// So much of a text is in a key. The texts of a unique key share the room.
    var textByteCount: Int {
        guard isUnique else { return Component.maximumTextByteCount }
        return min(Component.maximumTextByteCount, 480 / components.count - 3)
    }

    /// The values of a unique key that a record has, whole, where its key in the tree has only the beginnings of long ones; `nil` for a
    /// record that has none.
    func wholeValues(of fields: RecordFields) throws(RecordProblem) -> [UInt8]? {
        var source = FieldSource(try fields.fields(ofVersion: recordVersion), as: fields, blank: blank)
        var values: [UInt8] = []
        for component in components {
            let found = try source.content(of: component, nil)
            if found.isNothing, component.occurrence == .present { return nil }
            try component.append(found, to: &values, textByteCount: .max)
        }
        return values
    }

    private func facetBits(_ source: inout FieldSource) throws(RecordProblem) -> UInt16 {
        guard !facets.isEmpty else { return 0 }
        var bits: UInt16 = 0
        var found: [UInt8] = []
        for (index, facet) in facets.enumerated() where try facet.holds(for: &source, &found) {
            bits |= 1 << UInt16(index)
        }
        return bits
    }
}

/// An element of a list: a value, or a record of its own.
struct ListElement {
    private let value: TaggedValue
    private let fields: RecordFields?

    init(_ value: TaggedValue, isPart: Bool) throws(RecordProblem) {
        self.value = value
        fields = isPart ? try RecordFields(try value.bytes) : nil
    }

    /// `nil` for a field that the element lacks.
    func value(_ partTag: UInt32?) -> TaggedValue? {
        guard let partTag else { return value }
        return fields?[partTag]
    }
}

/// The fields of a record, and those of the blank one for fields that it lacks and that are not optional.
struct FieldSource {
    private let fields: RecordFields
    /// The record as it is stored, by which code works values out.
    private let stored: RecordFields
    private let blank: [UInt8]
    /// The blank record is walked only when a field is missing.
    private var blankFields: RecordFields?

    /// - Parameter stored: the record as it is stored, where the fields are those that upgrades have left.
    init(_ fields: RecordFields, as stored: RecordFields? = nil, blank: [UInt8]) {
        self.fields = fields
        self.stored = stored ?? fields
        self.blank = blank
    }

    mutating func value(_ tag: UInt32, _ isOptional: Bool) throws(RecordProblem) -> TaggedValue? {
        if let value = fields[tag] { return value }
        guard !isOptional, !blank.isEmpty else { return nil }
        if blankFields == nil { blankFields = try RecordFields(blank) }
        return blankFields?[tag]
    }

    /// What a component of a key is made of.
    fileprivate mutating func content(
        of component: OrderDeclaration.Component, _ element: ListElement?
    ) throws(RecordProblem) -> FieldContent {
        if let linked = component.linked {
            guard let named = fields.named(by: component) else { return .absent }
            return try FieldContent(named[linked.tag] ?? component.writtenBlank, component.collation, named)
        }
        if let computed = component.computed { return .computed(try stored.value(of: computed)) }
        let value: TaggedValue?
        switch component.occurrence {
        case .each: value = element?.value(component.partTag)
        case .first:
            value = try elements(component.tag).first
            if value == nil { return .absent }
        case .always, .present: value = try self.value(component.tag, component.isOptional)
        }
        return try FieldContent(value, component.collation, fields)
    }

    /// Those of a list that are there.
    fileprivate mutating func elements(_ tag: UInt32) throws(RecordProblem) -> [TaggedValue] {
        try value(tag, false).map { (list) throws(RecordProblem) in try list.elements } ?? []
    }
}

extension TaggedValue {
    /// Those of a list that are there.
    var elements: [TaggedValue] {
        get throws(RecordProblem) {
            guard case .bytes(let bytes) = self else {
                throw RecordProblem("a field is a number where a list is expected")
            }
            var elements: [TaggedValue] = []
            var walk = TaggedWalk(bytes, 0..<bytes.count)
            while let (tag, place) = try walk.next() {
                switch (tag, place) {
                case (FieldNumber.elementTag, .number(let number)): elements.append(.number(number))
                case (FieldNumber.elementTag, .bytes(let range)): elements.append(.bytes(Array(bytes[range])))
                case (FieldNumber.absentTag, _): continue
                default: throw RecordProblem("a list has a field \(tag)")
                }
            }
            return elements
        }
    }
}

/// What is found of a field that an order is by.
private enum FieldContent {
    case value(TaggedValue)
    /// A value, with what else decides where it is filed.
    indirect case filed(TaggedValue, language: String?, sorted: String?)
    /// What code has worked out: a component as it is in a key that has room for it.
    case computed([UInt8])
    /// The field was never written.
    case unwritten
    /// There is no record, or no element, that could have it.
    case absent

    /// Whether there is no value, neither stored nor worked out.
    var isNothing: Bool {
        switch self {
        case .unwritten: true
        case .computed(let bytes): bytes == OrderedValue.nothing.bytes
        case .value, .filed, .absent: false
        }
    }

    init(_ value: TaggedValue?, _ collation: Collation, _ fields: RecordFields) throws(RecordProblem) {
        guard let value else {
            self = .unwritten
            return
        }
        guard let filing = collation.filing, filing.languageTag != nil || filing.sortTag != nil else {
            self = .value(value)
            return
        }
        self = .filed(
            value, language: try fields.text(filing.languageTag), sorted: try fields.text(filing.sortTag))
    }
}

extension RecordFields {
    fileprivate func text(_ tag: UInt32?) throws(RecordProblem) -> String? {
        guard let tag, let value = self[tag] else { return nil }
        return String(decoding: try value.bytes, as: UTF8.self)
    }
}

extension OrderDeclaration.Component {
    /// A component of a key: whether it is there, and bytes that order as the values do, inverted where they descend.
    ///
    /// - Parameters:
    ///   - value: `nil` for that of a field which was never written.
    ///   - textByteCount: so much of a text is in a key of the order.
    func bytes(
        _ value: TaggedValue?, textByteCount: Int = maximumTextByteCount
    ) throws(RecordProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        try append(value.map { .value($0) } ?? .unwritten, to: &bytes, textByteCount: textByteCount)
        return bytes
    }

    /// The text that another record has in a field which it lacks; `nil` for what is no text.
    fileprivate var writtenBlank: TaggedValue? {
        guard linked != nil, kind == .text, !isOptional else { return nil }
        return .bytes(Self.text(in: partBlank, from: 0) ?? [])
    }

    /// The text of a component that begins at a place of a key; `nil` where none does.
    func text(in key: [UInt8], from start: Int) -> [UInt8]? {
        Self.text(in: key, from: start, isInverted: isDescending)
    }

    private static func text(in key: [UInt8], from start: Int, isInverted: Bool = false) -> [UInt8]? {
        guard start < key.count, key[start] == 1 else { return nil }
        let mask: UInt8 = isInverted ? 0xFF : 0
        var text: [UInt8] = []
        var index = start + 1
        while index + 1 < key.count {
            let byte = key[index] ^ mask
            // A zero of the text is followed by `FF`, the zero that ends it by another.
            if byte == 0, key[index + 1] ^ mask == 0 { return text }
            text.append(byte)
            index += byte == 0 ? 2 : 1
        }
        return nil
    }

    /// That of a record without a value.
    var absent: [UInt8] { [isAbsentFirst ? 0 : 0xFF] }

    /// What the components of all texts begin with that begin with a typed one.
    ///
    /// - Parameter textByteCount: so much of a text is in a key.
    func bytes(beginningWith typed: String, textByteCount: Int) -> [UInt8] {
        let prefix = collation.prefix(typed)
        return bytes(ofTextFrom: isBeginning ? Self.beginning(of: prefix, textByteCount) : prefix)
    }

    /// What a component begins with whose text has a key that begins so.
    func bytes(ofTextFrom key: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        OrderedBytes.text(key).append(to: &bytes)
        // Without the two zeros at its end.
        bytes.removeLast(2)
        return [1] + (isDescending ? bytes.map { ~$0 } : bytes)
    }

    /// - Parameter textByteCount: a longer text is refused, or cut where its beginning counts.
    fileprivate func append(
        _ content: FieldContent, to key: inout [UInt8], textByteCount: Int = maximumTextByteCount
    ) throws(RecordProblem) {
        // Most components: eight bytes.
        if case .value(let value) = content, let bits = try kind.orderedBits(value) {
            key.append(1)
            return key.append(bigEndian: isDescending ? ~bits : bits)
        }
        var ordered: OrderedBytes
        switch content {
        case .absent: return key += absent
        case .computed(let bytes): return key += Self.beginning(ofComputed: bytes, textByteCount)
        case .unwritten:
            guard !isOptional else { return key += absent }
            if let first = partBlank.first {
                key.append(first)
                return key += partBlank.dropFirst().map { isDescending ? ~$0 : $0 }
            }
            ordered = try kind.ordered(kind.zero, collation)
        case .value(let value): ordered = try kind.ordered(value, collation)
        case .filed(let value, let language, let sorted):
            ordered = .text(
                collation.key(CollatedText(bytes: try value.bytes, language: language, sorted: sorted)))
        }
        key.append(1)
        let start = key.count
        if isBeginning, case .text(let text) = ordered { ordered = .text(Self.beginning(of: text, textByteCount)) }
        guard ordered.textByteCount <= textByteCount else {
            throw RecordProblem(
                "a text of \(ordered.textByteCount) bytes is too long for an order, which takes up to \(textByteCount)")
        }
        ordered.append(to: &key)
        if isDescending { for index in start..<key.count { key[index] = ~key[index] } }
    }

    /// Of a text in a key.
    static let maximumTextByteCount = 300

    /// As much of what code works out as a key has: of a text what it has of any other, and the bytes around that.
    static func beginning(ofComputed bytes: [UInt8], _ textByteCount: Int) -> ArraySlice<UInt8> {
        guard textByteCount < .max else { return bytes[...] }
        return OrderedValue.key(of: bytes, byteCount: computedByteCount(textByteCount))
    }

    /// At most. One byte before a text says that it is there, and two end it.
    static func computedByteCount(_ textByteCount: Int) -> Int {
        min(OrderedValue.maximumByteCount, textByteCount + 3)
    }

    /// As much of a text as fits a key, in which a zero takes two bytes.
    private static func beginning(of text: [UInt8], _ byteCount: Int) -> [UInt8] {
        var left = byteCount
        return Array(
            text.prefix { byte in
                left -= byte == 0 ? 2 : 1
                return left >= 0
            })
    }
}

extension OrderDeclaration.Facet {
    /// How the value is written that the field is compared with, and the field. Texts may have any length here.
    static func bytes(_ value: TaggedValue?, _ kind: FieldKind, isOptional: Bool) throws(RecordProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        try append(value, kind, isOptional: isOptional, to: &bytes)
        return bytes
    }

    private func append(_ field: TaggedValue?, to bytes: inout [UInt8]) throws(RecordProblem) {
        try Self.append(field, kind, isOptional: isOptional, to: &bytes)
    }

    private static func append(
        _ value: TaggedValue?, _ kind: FieldKind, isOptional: Bool, to bytes: inout [UInt8]
    ) throws(RecordProblem) {
        guard let value = value ?? (isOptional ? nil : kind.zero) else { return bytes.append(0xFF) }
        bytes.append(1)
        try kind.ordered(value, .written).append(to: &bytes)
    }

    /// - Parameter found: room for what the record has.
    func holds(for source: inout FieldSource, _ found: inout [UInt8]) throws(RecordProblem) -> Bool {
        found.removeAll(keepingCapacity: true)
        try append(source.value(tag, isOptional), to: &found)
        return holds(for: found)
    }

    /// Whether the condition holds for a field that is written so.
    private func holds(for found: [UInt8]) -> Bool {
        // What is absent is neither less nor greater.
        let isOrdered = found.first == 1 && value.first == 1
        guard isOrdered || comparison == .equal || comparison == .unequal else { return false }
        return comparison.holds(found.withBytes { $0.order(relativeTo: value) })
    }
}

extension RawSpan {
    /// Negative, zero or positive as these bytes sort before, with or after `other`.
    func order(relativeTo other: [UInt8]) -> Int { other.withBytes { order(relativeTo: $0) } }
}

extension FieldKind {
    /// What a field has that was never written.
    var zero: TaggedValue {
        switch self {
        case .signed, .number, .real: .number(0)
        case .text, .bytes: .bytes([])
        }
    }

    /// Of a number the bits that order as it does; `nil` of what is none.
    @inline(__always) fileprivate func orderedBits(_ value: TaggedValue) throws(RecordProblem) -> UInt64? {
        switch self {
        case .signed: UInt64(bitPattern: try value.signed) ^ 1 << 63
        case .number: try value.number
        case .real: OrderedBytes.bits(Double(bitPattern: try value.number))
        case .text, .bytes: nil
        }
    }

    fileprivate func ordered(_ value: TaggedValue, _ collation: Collation) throws(RecordProblem) -> OrderedBytes {
        switch self {
        case .signed, .number, .real: .eightBytes(try orderedBits(value) ?? 0)
        case .text: .text(collation.key(CollatedText(bytes: try value.bytes)))
        case .bytes: .text(try value.bytes)
        }
    }
}
