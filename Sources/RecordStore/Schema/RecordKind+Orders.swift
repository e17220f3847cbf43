import Filing
import StorageEngine

extension RecordKind {
    /// The orders that a type declares, as they are stored.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for one that cannot be, with its name and what to write instead.
    static func declaredOrders(
        _ kind: String, _ empty: [UInt8]?, _ links: [DeclaredLink], beside indexes: [DeclaredOrder], version: Int
    ) throws(LibraryError) -> [DeclaredOrder] {
        var orders: [DeclaredOrder] = []
        let facets = try declaredFacets(kind)
        guard !Value.schema.orders.isEmpty || !links.isEmpty else {
            guard facets.isEmpty else {
                throw .schemaMismatch("\(kind) has facets and no order that counts them. Declare an order.")
            }
            return try named(indexes, kind)
        }
        guard links.isEmpty || Value.upgrades.isEmpty else {
            throw .schemaMismatch(
                "\(kind) has links, and upgrades. Links are made of what is stored, which upgrades change only as it is read: write "
                    + "the records again with what the upgrade does, take it out, and keep its version: static let recordVersion = \(Value.recordVersion)."
            )
        }
        guard let empty else {
            throw .schemaMismatch(
                "\(kind) has orders or links, and the record that its `blank` is, or `init()`, cannot be stored and read again. Give it values that can be."
            )
        }
        let home = try homeComponents(kind)
        for order in Value.schema.orders {
            guard AppRecordKey.nameByteCount.contains(order.name.utf8.count),
                !order.name.utf8.contains(LibraryKey.separator)
            else {
                throw .schemaMismatch(
                    "The name of an order has 1 to 64 bytes, none of them zero: “\(order.name)” of \(kind) does not.")
            }
            guard !orders.contains(where: { $0.name == order.name }) else {
                throw .schemaMismatch(
                    "Two orders of \(kind) are called “\(order.name)”. Give one of them another name.")
            }
            let declaration = try declaration(of: order, kind)
            for component in declaration.linked
            where !links.contains(where: { $0.field == component.link && $0.action != .keep }) {
                let field =
                    order.stands.flatMap(\.components).first { (try? tag(of: $0.name, "")) == component.tag }?.name
                    ?? ""
                throw .schemaMismatch(
                    "The order “\(order.name)” of \(kind) is by a field of the \(component.linked?.kind ?? "record") that \(field) names, which is found by a "
                        + "link. Declare it: Link(\\.\(field), onDelete: .deny), or what else deleting does.")
            }
            orders.append(
                DeclaredOrder(
                    kind, name: order.name,
                    declaration: try complete(declaration, home, facets, kind, empty, version),
                    types: order.stands[0].components.map(\.valueType)))
        }
        // An index has neither facets nor what the records of a list go by that link to the same one.
        let lists = orders + (facets.isEmpty && home.isEmpty ? indexes : [])
        for link in links where !lists.contains(where: { $0.declaration.begins(with: link.field) }) {
            guard !orders.contains(where: { $0.name == link.orderName }) else {
                throw .schemaMismatch(
                    "An order of \(kind) is called “\(link.orderName)”, which is what the order of a link is called. Give it another name."
                )
            }
            orders.append(
                DeclaredOrder(
                    kind, name: link.orderName,
                    declaration: try complete(link.order, home, facets, kind, empty, version),
                    types: [link.valueType]))
        }
        return try named(orders + indexes, kind)
    }

    /// - Throws: `LibraryError.schemaMismatch` where two have one name.
    private static func named(_ orders: [DeclaredOrder], _ kind: String) throws(LibraryError) -> [DeclaredOrder] {
        var names: Set<String> = []
        for order in orders where !names.insert(order.name).inserted {
            throw .schemaMismatch(
                "Two orders or indexes of \(kind) are called “\(order.name)”. Give one of them another name.")
        }
        return orders
    }

    /// What equal records go by in all orders.
    private static func homeComponents(_ kind: String) throws(LibraryError) -> [OrderDeclaration.Component] {
        guard let home = Value.schema.homes.first else { return [] }
        guard Value.schema.homes.count == 1 else {
            throw .schemaMismatch(
                "\(kind) has two homes, “\(home.name)” and “\(Value.schema.homes[1].name)”. Declare one; the other is an Order."
            )
        }
        let declaration = try declaration(of: home, kind)
        guard declaration.stands.count == 1, declaration.components.allSatisfy(\.isOfHome) else {
            throw .schemaMismatch(
                "The order “\(home.name)” of \(kind) cannot be its home, in which each record stands once and by fields of its own: go without "
                    + "stands, .each, .present and .linked.")
        }
        return declaration.components
    }

    /// Those of all orders.
    private static func declaredFacets(_ kind: String) throws(LibraryError) -> [OrderDeclaration.Facet] {
        var facets: [OrderDeclaration.Facet] = []
        for declared in Value.schema.facets {
            for (name, condition) in zip(declared.names, declared.conditions) {
                guard !facets.contains(where: { $0.name == name }) else {
                    throw .schemaMismatch("Two facets of \(kind) are called “\(name)”. Give one of them another name.")
                }
                facets.append(try condition.facet(name, "The facet “\(name)” of \(kind)"))
            }
        }
        guard facets.count <= Limits.facetCount else {
            throw .schemaMismatch(
                "\(kind) has \(facets.count) facets, a case of an enumeration being one; \(Limits.facetCount) are possible."
            )
        }
        return facets
    }

    private static func complete(
        _ declaration: OrderDeclaration, _ home: [OrderDeclaration.Component], _ facets: [OrderDeclaration.Facet],
        _ kind: String, _ empty: [UInt8], _ version: Int
    ) throws(LibraryError) -> OrderDeclaration {
        var declaration = declaration
        declaration.facets = facets
        declaration.recordVersion = version
        // Records that are equal in a component are so in that of the home which is the same but for its direction.
        declaration.tail = home.filter { component in
            !declaration.stands.allSatisfy { $0.components.contains { $0.isEqualWhere(component) } }
        }
        if declaration.tail.contains(where: { $0.collation != .written }) {
            declaration.foldingVersion = Int(TitleKey.ruleVersion)
        }
        do throws(RecordProblem) {
            try declaration.setBlank(from: empty)
        } catch {
            throw .schemaMismatch("An empty \(kind) cannot be read: \(error.description).")
        }
        return declaration
    }

    private static func declaration(
        of order: RecordOrder<Value>, _ kind: String
    ) throws(LibraryError) -> OrderDeclaration {
        var declaration = OrderDeclaration()
        let words = "The order “\(order.name)” of \(kind)"
        guard !order.stands.isEmpty else { throw .schemaMismatch("\(words) has no stand. Declare one at least.") }
        declaration.stands = try order.stands.map { (stand) throws(LibraryError) in try standDeclaration(stand, words) }
        if declaration.stands.contains(where: { $0.components.contains { $0.collation != .written } }) {
            declaration.foldingVersion = Int(TitleKey.ruleVersion)
        }
        guard !declaration.hasUnlikeStands, order.stands.allSatisfy({ $0.hasTypes(of: order.stands[0]) }) else {
            throw .schemaMismatch(
                "\(words) has stands that are not alike. Give all of them as many components and sums, of the same types in "
                    + "turn and in the same directions; what stands otherwise belongs into another order.")
        }
        guard declaration.amountCount <= Limits.amountCount, declaration.columnCount <= Limits.columnCount else {
            throw .schemaMismatch(
                "\(words) has more sums than fit: three, or two with units, or one that finds rows and one that does not. "
                    + "Put the others into another order.")
        }
        return declaration
    }

    private static func standDeclaration(
        _ stand: RecordStand<Value>, _ words: String
    ) throws(LibraryError) -> OrderDeclaration.Stand {
        var declared = OrderDeclaration.Stand()
        declared.components = try stand.components.map { (component) throws(LibraryError) in
            try declaration(of: component, words)
        }
        guard declared.isOfOneList else {
            throw .schemaMismatch(
                "\(words) has places for the elements of two lists, or twice for those of one. Order by one of them.")
        }
        for sum in stand.sums {
            let tag = try tag(of: sum.name, words)
            guard let (fieldKind, isOptional) = sum.kind, fieldKind == .signed else {
                throw .schemaMismatch(
                    "\(words) has sums of \(sum.part?.name ?? sum.name ?? "a field") of type \(sum.fieldType), which is kept as no number "
                        + "with a sign. Sum whole numbers or Money.")
            }
            let partTag = try sum.part.map { (part) throws(LibraryError) in try Self.tag(ofPart: part, words) }
            guard !declared.sums.contains(where: { $0.tag == tag && $0.partTag == partTag }) else {
                throw .schemaMismatch("\(words) has sums of \(sum.part?.name ?? sum.name ?? "a field") twice.")
            }
            guard partTag == nil || declared.list?.tag == tag else {
                let list = sum.name ?? "a list"
                throw .schemaMismatch(
                    "\(words) has sums of the elements of \(list), and no place for each of them. Order by one of their fields: "
                        + ".each(\\.\(list), …).")
            }
            declared.sums.append(
                OrderDeclaration.Sum(
                    tag: tag, kind: fieldKind, isOptional: isOptional, findsRows: sum.findsRows,
                    isNegated: sum.isNegated,
                    unit: try sum.unit.map { (unit) throws(LibraryError) in try unitDeclaration(unit, words) },
                    partTag: partTag))
        }
        return declared
    }

    static func declaration(
        of component: OrderComponent<Value>, _ words: String
    ) throws(LibraryError) -> OrderDeclaration.Component {
        let tag = try tag(of: component.name, words)
        if let linked = component.linked {
            return try linked.declaration(linkedBy: tag, isFirst: component.occurrence == .first, words)
        }
        guard !component.isOfBytes else {
            let name = component.name ?? "a field"
            throw .schemaMismatch(
                "\(words) is by the elements of \(name), which is stored as bytes and not as a list. Order by all of it: .ascending(\\.\(name))."
            )
        }
        guard let (fieldKind, isOptional) = component.kind else {
            throw .schemaMismatch(
                "\(words) is by \(component.part?.name ?? component.name ?? "a field") of type \(component.fieldType), which has no order. Order by "
                    + "numbers, texts, flags, days, moments, identifiers or enumerations with raw values.")
        }
        var declared = OrderDeclaration.Component(
            tag: tag, kind: fieldKind, isOptional: isOptional, isDescending: component.isDescending,
            isAbsentFirst: component.isAbsentFirst, occurrence: component.occurrence)
        switch component.texts {
        case .written: break
        case .beginning: declared.isBeginning = true
        case .folded: declared.collation = .folded
        case .filed(let language, let sorted):
            var filing = Collation.Filing()
            filing.languageTag = try language.map { (path) throws(LibraryError) in
                try Self.tag(of: path.propertyName, words)
            }
            filing.sortTag = try sorted.map { (path) throws(LibraryError) in try Self.tag(of: path.propertyName, words)
            }
            declared.collation = .filed(filing)
        }
        if let field = component.part {
            declared.partTag = try Self.tag(ofPart: field, words)
            if !isOptional { declared.partBlank = declared.blank(field.zero) }
        }
        return declared
    }

    /// What is read of a field that was never written; `nil` for nothing.
    static func emptyValue(ofTag tag: UInt32) -> TaggedValue? {
        emptyRecord().flatMap { try? RecordFields($0) }?[tag]
    }

    private static func unitDeclaration(
        _ unit: OrderUnit<Value>, _ words: String
    ) throws(LibraryError) -> OrderDeclaration.Unit {
        let tag = try tag(of: unit.name, words)
        guard let (fieldKind, isOptional) = unit.kind, fieldKind != .real, fieldKind != .bytes else {
            throw .schemaMismatch(
                "\(words) has sums in \(unit.name ?? "a field") of type \(unit.fieldType), which is no unit. Name a text such as "
                    + "“EUR”, a whole number, an identifier, or an enumeration of such.")
        }
        return OrderDeclaration.Unit(tag: tag, kind: fieldKind, isOptional: isOptional)
    }

    static func tag(ofPart part: PartField, _ words: String) throws(LibraryError) -> UInt32 {
        guard let name = part.name else {
            throw .schemaMismatch(
                "\(words) names a computed property of an element. Name stored fields: they have coding keys.")
        }
        guard let number = part.number, FieldNumber.range.contains(number) else {
            throw .schemaMismatch("\(words) names \(name) of an element, which has no coding key of that name.")
        }
        return FieldNumber.tag(number)
    }

    static func sumTags() -> [SummedTag] {
        Value.schema.orders.compactMap(\.stands.first).flatMap(\.sums).compactMap { sum -> SummedTag? in
            guard let tag = try? tag(of: sum.name, "") else { return nil }
            return SummedTag(
                path: sum.path, part: sum.part, tag: tag, partTag: sum.part.flatMap { try? Self.tag(ofPart: $0, "") })
        }
    }

    static func tag(
        of name: String?, _ words: String
    ) throws(LibraryError) -> UInt32 {
        guard let name else {
            throw .schemaMismatch("\(words) names a computed property. Name stored fields: they have coding keys.")
        }
        guard let number = Value.CodingKeys(stringValue: name)?.rawValue, FieldNumber.range.contains(number) else {
            throw .schemaMismatch("\(words) names \(name), which has no coding key of that name.")
        }
        guard name != "id" else {
            throw .schemaMismatch(
                "\(words) names the identifier, by which a record is asked for: records[id]. Every order ends with it. Leave it out."
            )
        }
        return FieldNumber.tag(number)
    }

    /// The entries that a record of these bytes has in some orders, by order and key.
    ///
    /// - Parameter isNew: whether the identifier is not the record's yet, and means nothing to a reader of an error.
    /// - Throws: `LibraryError.invalidValue` for a record that an order cannot take.
    func entries(
        of bytes: [UInt8], in orders: [StoredOrder], id: ID<Value>, isNew: Bool = false,
        considering changed: [LinkedRecord: RecordFields?] = [:],
        _ trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [OrderEntry] {
        try orders.requiredEntries(
            of: bytes, (name, id.rawValue), as: isNew ? "this \(name)" : "\(name) \(id)", considering: changed,
            in: trees)
    }
}

extension OrderDeclaration.Component {
    /// Whether two records that are equal here are equal in another component.
    fileprivate func isEqualWhere(_ other: OrderDeclaration.Component) -> Bool {
        tag == other.tag && kind == other.kind && collation == other.collation && isBeginning == other.isBeginning
            && occurrence == other.occurrence && partTag == nil && linked == nil
    }

    /// What an element, or another record, has of a field that it lacks, where that is not what a field of the kind has.
    ///
    /// - Parameter value: `nil` where the type does not say.
    func blank(_ value: TaggedValue?) -> [UInt8] {
        guard let value else { return [] }
        let ascending = OrderDeclaration.Component(
            tag: tag, kind: kind, isOptional: false, isDescending: false, isAbsentFirst: false, collation: collation,
            isBeginning: isBeginning)
        let bytes = try? ascending.bytes(value)
        return bytes == (try? ascending.bytes(kind.zero)) ? [] : bytes ?? []
    }
}
