/// A link of a type.
struct DeclaredLink: Sendable {
    let name: String
    let field: LinkField
    let target: LinkTarget
    let action: LinkAction
    /// Whether a record may name none.
    let isOptional: Bool
    /// Whether an element of its list may.
    let partIsOptional: Bool
    let valueType: ValueType

    /// Of the order that keeps it where the type declares none that does.
    var orderName: String {
        let part = field.partTag.map { ".\(FieldNumber.number(ofTag: $0) ?? 0)" } ?? ""
        return "link \(FieldNumber.number(ofTag: field.tag) ?? 0)\(part)"
    }

    /// Ascending by the field.
    var order: OrderDeclaration {
        var order = OrderDeclaration()
        order.components = [
            OrderDeclaration.Component(
                tag: field.tag, kind: .number, isOptional: field.isList ? partIsOptional : isOptional,
                isDescending: false, isAbsentFirst: false,
                occurrence: field.isList ? .each : .always, partTag: field.partTag)
        ]
        return order
    }
}

extension StoredLink {
    init(_ link: DeclaredLink, of kind: String, isWhole: Bool) {
        self.init(link.target, kind: kind, link.field, named: link.name, link.action, isWhole: isWhole)
    }
}

extension RecordKind {
    /// The links that a type declares.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for one that cannot be, with its name and what to write instead.
    static func declaredLinks(_ kind: String) throws(LibraryError) -> [DeclaredLink] {
        var links: [DeclaredLink] = []
        for link in Value.schema.links {
            let words = "A link of \(kind)"
            let tag = try tag(of: link.name, words)
            let partTag = try link.part.map { (part) throws(LibraryError) in try Self.tag(ofPart: part, words) }
            let name = [link.name, link.part?.name].compactMap { $0 }.joined(separator: ".")
            let field = LinkField(tag: tag, isList: link.isList, partTag: partTag)
            guard let target = link.target else {
                throw .schemaMismatch(
                    "\(words) is by \(name), which identifies a \(link.targetType), and that is no record. Link to records of the app, or to "
                        + "what the library keeps beside them.")
            }
            guard !links.contains(where: { $0.field.isPlace(of: field) }) else {
                throw .schemaMismatch("\(kind) declares two links by \(name). Leave one out.")
            }
            links.append(
                DeclaredLink(
                    name: name, field: field, target: target, action: link.action, isOptional: link.isOptional,
                    partIsOptional: link.partIsOptional, valueType: link.valueType))
        }
        for ended in Value.schema.endedLinks {
            guard let field = ended.field else {
                throw .schemaMismatch(
                    "\(kind) ends a link of field \(ended.number)\(ended.part.map { ", part \($0)" } ?? ""); fields are numbered from 0 to "
                        + "\(FieldNumber.range.upperBound).")
            }
            guard let link = links.first(where: { $0.field.isPlace(of: field) }) else { continue }
            throw .schemaMismatch(
                "\(kind) declares a link by \(link.name), and an EndedLink of the same field. Leave one out.")
        }
        return links
    }

    /// The name of an order that begins with a field which is a link.
    func orderName(ofLink path: PartialKeyPath<Value>, _ part: PartField? = nil) throws(LibraryError) -> String {
        try check()
        let partTag = try part.map { (part) throws(LibraryError) in try Self.tag(ofPart: part, "A link of \(name)") }
        guard let tag = tag(of: path),
            let link = links.first(where: { $0.field.tag == tag && $0.field.partTag == partTag }),
            let order = orders.first(where: { $0.declaration.begins(with: link.field) })
        else {
            let field = path.propertyName ?? "\(path)"
            let words = part.map { "each: \\.\(field), \\.\($0.name ?? "field")" } ?? "\\.\(field)"
            throw .schemaMismatch(
                "\(name) declares no link by \(part?.name ?? field). Declare it: Link(\(words), onDelete: .deny).")
        }
        return order.name
    }
}
