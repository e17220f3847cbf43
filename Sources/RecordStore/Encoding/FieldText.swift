#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A field as a value of JSON, and back to the same bytes, by what its values mean.
///
/// What a type has no words for stands as it is stored: `{"#number":7}` a varint, `{"#bits":"400921fb54442d18"}` eight bytes, `{"#bytes":"00ff"}`
/// bytes, and of a type that is not known `{"#text":"Ann"}` bytes that are a text: whoever reads it may know the type. A field that has no name
/// here is `"#7"` by its number. The name of a field that begins with `#` has one more.
extension FieldType {
    /// One field of a record, or an element of a list, as it is stored.
    typealias Stored = TaggedValue

    // MARK: Writing

    func json(_ stored: Stored) -> String { known(stored) ?? Self.raw(stored, isKnown: self != .unknown) }

    /// `nil` where the bytes are none that the type has words for: what was read again would be others.
    private func known(_ stored: Stored) -> String? {
        switch (self, stored) {
        case (.flag, .number(0)): "false"
        case (.flag, .number(1)): "true"
        case (.integer, .number): (try? stored.signed).map(String.init)
        case (.natural, .number(let number)): String(number)
        case (.real, .eightBytes(let bits)): Self.json(Double(bitPattern: bits))
        case (.text, .bytes(let bytes)): String(validating: bytes, as: UTF8.self).map(JSONWriter.quoted)
        case (.url, .bytes(let bytes)):
            String(validating: bytes, as: UTF8.self).flatMap { URL(string: $0) == nil ? nil : JSONWriter.quoted($0) }
        case (.identifier, .eightBytes(let number)): JSONWriter.quoted(ID<AppRecord>(rawValue: number).description)
        case (.day, .number):
            (try? stored.signed).flatMap { Int32(exactly: $0) }.flatMap { number in
                let text = Day(daysSince1970: number).description
                return Day(text)?.daysSince1970 == number ? JSONWriter.quoted(text) : nil
            }
        case (.moment, .eightBytes(let bits)):
            MomentText.text(Double(bitPattern: bits)).map(JSONWriter.quoted)
        case (.money, .number):
            (try? stored.signed).flatMap { number in
                let text = Money(tenThousandths: number).description
                return Money(text)?.tenThousandths == number ? JSONWriter.quoted(text) : nil
            }
        case (.uuid, .bytes): (try? UUID(stored)).map { JSONWriter.quoted($0.uuidString) }
        case (.list(let element), .bytes(let bytes)): Self.json(list: bytes, element)
        case (.named(let value), .bytes(let bytes)): Self.json(fields: bytes, [], namedType: value)
        case (.record(let fields), .bytes(let bytes)): Self.json(fields: bytes, fields, namedType: .unknown)
        default: nil
        }
    }

    private static func json(_ number: Double) -> String? { number.isFinite ? number.description : nil }

    private static func raw(_ stored: Stored, isKnown: Bool) -> String {
        var json = JSONWriter()
        switch stored {
        case .number(let number): json.object { $0.member("#number", number) }
        case .eightBytes(let bits): json.object { $0.member("#bits", [UInt8].bigEndian(bits).hexadecimal) }
        case .bytes(let bytes):
            if !isKnown, let text = String(validating: bytes, as: UTF8.self),
                !text.unicodeScalars.contains(where: { $0.value < 9 })
            {
                json.object { $0.member("#text", text) }
            } else {
                json.object { $0.member("#bytes", bytes.hexadecimal) }
            }
        }
        return json.text
    }

    private static func json(list bytes: [UInt8], _ element: FieldType) -> String? {
        guard let fields = try? StoredFields(bytes) else { return nil }
        var absent = Set<UInt64>()
        var elements: [Stored] = []
        for field in fields.all {
            switch (field.tag, field.value) {
            case (FieldNumber.absentTag, .number(let index)): absent.insert(index)
            case (FieldNumber.elementTag, let value): elements.append(value)
            default: return nil
            }
        }
        var json = JSONWriter()
        var next = elements.makeIterator()
        json.array { json in
            for index in 0..<UInt64(elements.count + absent.count) {
                if absent.contains(index) {
                    json.element(json: "null")
                } else if let value = next.next() {
                    json.element(json: element.json(value))
                }
            }
        }
        // Absent elements that are out of order, or behind the end, would be lost: such bytes are no list.
        let text = json.text
        guard let value = try? JSONReader.value(of: text), (try? list(of: element).stored(value)) == .bytes(bytes)
        else {
            return nil
        }
        return text
    }

    /// An object with the fields of a record; `nil` where a field is none that an object could name.
    static func json(fields bytes: [UInt8], _ known: [FieldDescription], namedType: FieldType) -> String? {
        guard let members = possibleMembers(of: bytes, known, namedType: namedType) else { return nil }
        var json = JSONWriter()
        json.object { json in
            for (name, value) in members { json.member(name, json: value) }
        }
        return json.text
    }

    /// The fields of a record, each with its name and as a value.
    static func members(of bytes: [UInt8], _ known: [FieldDescription]) -> [(name: String, json: String)] {
        possibleMembers(of: bytes, known, namedType: .unknown) ?? [("bytes", raw(.bytes(bytes), isKnown: true))]
    }

    private static func possibleMembers(
        of bytes: [UInt8], _ known: [FieldDescription], namedType: FieldType
    ) -> [(name: String, json: String)]? {
        guard let fields = try? StoredFields(bytes), !known.haveEqualNames else { return nil }
        // A field that went from its name to a number goes by the number, where the library has values under both.
        let oldNames = Set(known.lazy.filter { $0.number == nil }.map(\.name))
        let numberedNames = Set(known.lazy.filter { $0.number != nil && !oldNames.contains($0.name) }.map(\.name))
        var members: [(name: String, json: String)] = []
        for field in fields.last {
            if let named = field.named {
                guard !numberedNames.contains(named.name) else { return nil }
                let type = known.first { $0.number == nil && $0.name == named.name }?.type ?? namedType
                members.append((escaped(named.name), type.json(named.value)))
            } else if let number = FieldNumber.number(ofTag: field.tag) {
                let description = known.first { $0.number == number }
                let name = description.flatMap { field in
                    field.name.isEmpty || oldNames.contains(field.name) ? nil : escaped(field.name)
                }
                members.append((name ?? "#\(number)", (description?.type ?? .unknown).json(field.value)))
            } else {
                return nil
            }
        }
        return members
    }

    private static func escaped(_ name: String) -> String { name.hasPrefix("#") ? "#" + name : name }

    // MARK: Reading

    /// - Throws: `RecordProblem` for a value that the type has not.
    func stored(_ value: JSONValue) throws(RecordProblem) -> Stored {
        if let raw = try Self.raw(value) { return raw }
        switch (self, value) {
        case (.text, .text(let text)): return .bytes(Array(text.utf8))
        case (.url, .text(let text)):
            if URL(string: text) != nil { return .bytes(Array(text.utf8)) }
        case (.flag, .flag(let isSet)): return .number(isSet ? 1 : 0)
        case (.integer, .number):
            if let number: Int64 = value.integer() { return .signed(number) }
        case (.natural, .number):
            if let number: UInt64 = value.integer() { return .number(number) }
        case (.real, .number(let digits)):
            if let number = Double(digits), number.isFinite { return .eightBytes(number.bitPattern) }
        case (.identifier, .text(let text)):
            if let id = ID<AppRecord>(text) { return .eightBytes(id.rawValue) }
        case (.day, .text(let text)):
            if let day = Day(text) { return day.tagged }
        case (.moment, .text(let text)):
            if let seconds = MomentText.seconds(text) { return .eightBytes(seconds.bitPattern) }
        case (.money, .text(let text)):
            if let money = Money(text) { return money.tagged }
        case (.uuid, .text(let text)):
            if let uuid = UUID(uuidString: text) { return uuid.tagged }
        case (.list(let element), .array(let values)): return try Self.stored(list: values, element)
        case (.named(let type), .object(let members)): return .bytes(try Self.bytes(of: members, [], namedType: type))
        case (.record(let fields), .object(let members)):
            return .bytes(try Self.bytes(of: members, fields, namedType: .unknown))
        default: break
        }
        throw RecordProblem("it is not \(description)")
    }

    private static func stored(list values: [JSONValue], _ element: FieldType) throws(RecordProblem) -> Stored {
        var writer = RecordWriter()
        for (index, value) in values.enumerated() where value == .null {
            writer.write(FieldNumber.absentTag, number: UInt64(index))
        }
        for value in values where value != .null { writer.write(FieldNumber.elementTag, try element.stored(value)) }
        return .bytes(writer.finish())
    }

    /// `nil` for a value that does not stand as it is stored.
    private static func raw(_ value: JSONValue) throws(RecordProblem) -> Stored? {
        guard case .object(let members) = value, members.count == 1 else { return nil }
        switch (members[0].name, members[0].value) {
        case ("#number", .number):
            if let number: UInt64 = members[0].value.integer() { return .number(number) }
        case ("#bits", .text(let digits)):
            if digits.utf8.count == 16, let bits = UInt64(digits, radix: 16) { return .eightBytes(bits) }
        case ("#text", .text(let text)): return .bytes(Array(text.utf8))
        case ("#bytes", .text(let digits)):
            if let bytes = [UInt8](hexadecimal: digits) { return .bytes(bytes) }
        default: return nil
        }
        throw RecordProblem("\(members[0].name) is not as it is written")
    }

    /// The fields of a record from the members of an object, in the order in which they are stored.
    static func bytes(
        of members: [JSONMember], _ known: [FieldDescription], namedType: FieldType
    ) throws(RecordProblem) -> [UInt8] {
        var numbered: [UInt32: Stored] = [:]
        // By bytes: names that are equal and not the same are two.
        var named: [[UInt8]: Stored] = [:]
        for member in members where member.value != .null {
            let (number, name, type) = try field(member.name, known, namedType)
            do throws(RecordProblem) {
                let value = try type.stored(member.value)
                if let number { numbered[FieldNumber.tag(number)] = value } else { named[Array(name.utf8)] = value }
            } catch {
                throw RecordProblem("“\(member.name)”: \(error.description)")
            }
        }
        var writer = RecordWriter()
        for (name, value) in named.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            var field = RecordWriter()
            field.write(FieldNumber.nameTag, name)
            field.write(FieldNumber.valueTag, value)
            writer.write(FieldNumber.namedTag, field.finish())
        }
        for (tag, value) in numbered.sorted(by: { $0.key < $1.key }) { writer.write(tag, value) }
        return writer.finish()
    }

    private static func field(
        _ name: String, _ known: [FieldDescription], _ namedType: FieldType
    ) throws(RecordProblem) -> (number: Int?, name: String, type: FieldType) {
        if name.hasPrefix("#"), !name.hasPrefix("##") {
            guard let number = Int(name.dropFirst()), FieldNumber.range.contains(number) else {
                throw RecordProblem("“\(name)” is no number of a field")
            }
            return (number, "", known.first { $0.number == number }?.type ?? .unknown)
        }
        let name = name.hasPrefix("##") ? String(name.dropFirst()) : name
        let field = known.first { $0.number == nil && $0.name == name } ?? known.first { $0.name == name }
        if let field { return (field.number, name, field.type) }
        return (nil, name, namedType)
    }
}

/// The fields of a record or a list as they are stored.
struct StoredFields {
    struct Field {
        let tag: UInt32
        let value: TaggedValue
        /// Of one that has a name in place of a number.
        var named: (name: String, value: TaggedValue)?
    }

    private(set) var all: [Field] = []

    init(_ bytes: [UInt8]) throws(RecordProblem) {
        all = try Self.fields(of: bytes)
        for index in all.indices where all[index].tag == FieldNumber.namedTag {
            guard case .bytes(let bytes) = all[index].value, let named = try? Self.fields(of: bytes), named.count == 2,
                named[0].tag == FieldNumber.nameTag, named[1].tag == FieldNumber.valueTag,
                case .bytes(let name) = named[0].value, let text = String(validating: name, as: UTF8.self)
            else { continue }
            all[index].named = (text, named[1].value)
        }
    }

    /// Those of a record, and of none within it: fields may lie in each other to any depth.
    private static func fields(of bytes: [UInt8]) throws(RecordProblem) -> [Field] {
        try bytes.withBytes { (span) throws(RecordProblem) in
            var fields: [Field] = []
            var cursor = RecordCursor()
            while let field = try cursor.next(in: span) {
                switch field.content {
                case .bytes(let range): fields.append(Field(tag: field.tag, value: .bytes(span.copyBytes(range))))
                case .number(let number):
                    let isWide = span.byte(at: field.range.lowerBound) & 7 == RecordField.WireType.eightBytes
                    fields.append(Field(tag: field.tag, value: isWide ? .eightBytes(number) : .number(number)))
                }
            }
            return fields
        }
    }

    /// In the order in which they are written; of fields that are there twice the last, which counts.
    var last: [Field] {
        struct Place: Hashable {
            let tag: UInt32
            let name: [UInt8]?
        }
        var last: [Place: Field] = [:]
        for field in all { last[Place(tag: field.tag, name: field.named.map { Array($0.name.utf8) })] = field }
        return last.values.sorted { one, two in
            guard one.tag == two.tag, let first = one.named, let second = two.named else { return one.tag < two.tag }
            return first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
        }
    }
}
