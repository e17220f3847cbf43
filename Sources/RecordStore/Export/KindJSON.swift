import StorageEngine

/// A kind of the app's own records as a line of JSON, which comes before its records: what its fields are called and mean, and which of them
/// name other records.
///
///     {"type":"kind","kind":"Loan","fields":[{"number":1,"name":"borrower","type":"text"}],"links":[…]}
///
/// A link is `{"field":2,"name":"account","to":"Account","onDelete":"cascade"}`; to what a library keeps beside declared records by its number,
/// `"to":1`; `"list":true` of a list, and `"part":4` by a field of its elements; `"whole":false` where some name what is not there.
enum KindJSON {
    static func line(_ kind: String, _ fields: KindFields, _ links: [StoredLink]) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "kind")
            json.member("kind", kind)
            json.array("fields") { write(fields.fields, to: &$0) }
            if !links.isEmpty {
                json.array("links") { json in
                    for link in links { json.object { write(link, to: &$0) } }
                }
            }
        }
        return json.text
    }

    private static func write(_ fields: [FieldDescription], to json: inout JSONWriter) {
        for field in fields {
            json.object { json in
                if let number = field.number { json.member("number", number) }
                if !field.name.isEmpty { json.member("name", field.name) }
                json.member("type", "\(field.type.code)")
                if !field.type.inner.isEmpty { json.array("fields") { write(field.type.inner, to: &$0) } }
            }
        }
    }

    private static func write(_ link: StoredLink, to json: inout JSONWriter) {
        json.member("field", FieldNumber.number(ofTag: link.field.tag) ?? 0)
        if let part = link.field.partTag { json.member("part", FieldNumber.number(ofTag: part) ?? 0) }
        if link.field.isList { json.member("list", true) }
        json.member("name", link.fieldName)
        switch link.target {
        case .records(let kind): json.member("to", kind)
        case .builtIn(let kind): json.member("to", kind.number)
        case .unknown(let number): json.member("to", number)
        }
        json.member("onDelete", "\(link.action)")
        if !link.isWhole { json.member("whole", false) }
    }

    // MARK: Reading

    static func fields(of line: JSONValue) throws(RecordProblem) -> KindFields {
        try line.requireMembers(["type", "kind", "fields", "links"])
        guard let elements = line["fields"]?.elements else { throw RecordProblem("it has no “fields”") }
        let fields = try elements.map { (element) throws(RecordProblem) in try field(element, depth: 1) }
        try requireDifferent(fields)
        return KindFields(fields)
    }

    private static func requireDifferent(_ fields: [FieldDescription]) throws(RecordProblem) {
        let numbers = fields.compactMap(\.number)
        guard Set(numbers).count == numbers.count, !fields.haveEqualNames else {
            throw RecordProblem("two of its fields have one number or one name")
        }
    }

    private static func field(_ value: JSONValue, depth: Int) throws(RecordProblem) -> FieldDescription {
        guard depth <= FieldNumber.maximumDepth else { throw RecordProblem("fields are nested too deep") }
        try value.requireMembers(["number", "name", "type", "fields"])
        let number: Int? = value["number"]?.integer()
        guard value["number"] == nil || number.map(FieldNumber.range.contains) == true else {
            throw RecordProblem("a field has no such number")
        }
        let name = value["type"]?.text ?? ""
        guard let code = FieldType.Code.allCases.first(where: { "\($0)" == name }) else {
            throw RecordProblem("the type “\(name)” of a field is not known here")
        }
        let inner = try (value["fields"]?.elements ?? []).map { (element) throws(RecordProblem) in
            try field(element, depth: depth + 1)
        }
        try requireDifferent(inner)
        guard let type = FieldType(code, inner) else {
            throw RecordProblem("what is within a field does not fit its type")
        }
        return FieldDescription(number: number, name: value["name"]?.text ?? "", type: type)
    }

    static func links(
        of line: JSONValue, _ kind: String, canBeWhole: Bool, among builtIn: [BuiltInKind]
    ) throws(RecordProblem) -> [StoredLink] {
        try (line["links"]?.elements ?? []).map { (value) throws(RecordProblem) in
            try value.requireMembers(["field", "part", "list", "name", "to", "onDelete", "whole"])
            let (number, part): (Int?, Int?) = (value["field"]?.integer(), value["part"]?.integer())
            guard let number, FieldNumber.range.contains(number), part.map(FieldNumber.range.contains) ?? true,
                let name = value["name"]?.text, let target = target(value["to"], among: builtIn),
                let action = [LinkAction.cascade, .nullify, .deny].first(where: { "\($0)" == value["onDelete"]?.text })
            else { throw RecordProblem("a link is not as it is written") }
            let field = LinkField(
                tag: FieldNumber.tag(number), isList: value["list"] == .flag(true), partTag: part.map(FieldNumber.tag))
            guard field.isList || part == nil else { throw RecordProblem("a link is of elements, and of no list") }
            return StoredLink(
                target, kind: kind, field, named: name, action,
                isWhole: canBeWhole && value["whole"] != .flag(false))
        }
    }

    private static func target(_ value: JSONValue?, among builtIn: [BuiltInKind]) -> LinkTarget? {
        if let kind = value?.text {
            return AppRecordKey.isName(kind) ? .records(kind) : nil
        }
        guard let number: UInt8 = value?.integer(), number > 0 else { return nil }
        return builtIn.first { $0.number == number }.map { .builtIn($0) } ?? .unknown(number)
    }
}
