/// A link of a type.
struct DeclaredLink: Sendable {
    let name: String
    let field: LinkField
    let target: LinkTarget
    let action: LinkAction
    let isOptional: Bool
    let valueType: ValueType

    /// Of the order that keeps it where the type declares none that does.
    var orderName: String { "link \(FieldNumber.number(ofTag: field.tag) ?? 0)" }

    /// Ascending by the field.
    var order: OrderDeclaration {
        var order = OrderDeclaration()
        order.components = [
            OrderDeclaration.Component(
                tag: field.tag, kind: .number, isOptional: isOptional && !field.isList, isDescending: false,
                isAbsentFirst: false, isFolded: false, occurrence: field.isList ? .each : .always)
        ]
        return order
    }
}

extension RecordKind {
    /// The links that a type declares.
    ///
    /// - Throws: `BookError.schemaMismatch` for one that cannot be, with its name and what to write instead.
    static func declaredLinks(_ kind: String) throws(BookError) -> [DeclaredLink] {
        var links: [DeclaredLink] = []
        for link in Value.schema.links {
            let words = "A link of \(kind)"
            let tag = try tag(of: link.name, words)
            let name = link.name ?? ""
            guard let target = link.target else {
                throw .schemaMismatch(
                    "\(words) is by \(name), which identifies a \(link.targetType), and that is no record. Link to records of the app, to "
                        + "works, editions or authors.")
            }
            guard !links.contains(where: { $0.field.tag == tag }) else {
                throw .schemaMismatch("\(kind) declares two links by \(name). Leave one out.")
            }
            links.append(
                DeclaredLink(
                    name: name, field: LinkField(tag: tag, isList: link.isList), target: target, action: link.action,
                    isOptional: link.isOptional, valueType: link.valueType))
        }
        return links
    }

    /// The name of an order that begins with a field which is a link.
    func orderName(ofLink path: PartialKeyPath<Value>) throws(BookError) -> String {
        try check()
        guard let tag = tag(of: path), let link = links.first(where: { $0.field.tag == tag }),
            let order = orders.first(where: { $0.declaration.begins(with: link.field) })
        else {
            let field = path.propertyName ?? "\(path)"
            throw .schemaMismatch(
                "\(name) declares no link by \(field). Declare it: Link(\\.\(field), onDelete: .deny).")
        }
        return order.name
    }
}
