import StorageEngine

/// A kind of an app's own records as a library has it, for who has not got its type: tools, and apps that look into another's library.
public struct StoredKind: Sendable {
    public let name: String

    /// How many records there are.
    public let count: Int

    /// By number.
    public let fields: [Field]

    /// By name.
    public let orders: [Order]

    public let links: [Link]

    public struct Field: Sendable, Equatable {
        public let number: Int

        /// `#7` for one of which the library knows the number alone.
        public let name: String

        /// As in “is a text”.
        public let type: String

        /// Whether people write the values of a column below each other by their last digit.
        public let isNumber: Bool
    }

    /// An order that the records are kept in.
    public struct Order: Sendable, Equatable {
        public let name: String

        /// What it goes by, in words: `account, date descending`.
        public let words: String

        /// The fields that are summed in it.
        public let sums: [String]

        /// What is counted in it besides all.
        public let facets: [String]

        /// How many places it has: a record may have several, or none.
        public let count: Int

        /// Whether it holds all that it is to hold, and is not in the making.
        public let isWhole: Bool

        let tree: TreeNumber
    }

    /// A field by which the records name others.
    public struct Link: Sendable, Equatable {
        public let field: String

        /// The kind that is named.
        public let target: String

        /// `cascade`, `nullify` or `deny`.
        public let onDelete: String
    }

    let tree: TreeNumber
    let described: KindFields

    /// Its orders by what is stored of them.
    let stored: [StoredOrder]

    /// The same of its links.
    let storedLinks: [StoredLink]

    init(
        _ kind: TreeDeclaration, _ links: [StoredLink], in version: Version
    ) throws(LibraryError) {
        let bytes = Array(kind.name.utf8)
        let described = version.storedFields(of: bytes)
        name = kind.name
        tree = kind.number
        self.described = described
        count = try version.count(of: kind.number)
        fields = described.fields.map { field in
            Field(
                number: field.number ?? 0, name: described.name(ofNumber: field.number), type: field.type.description,
                isNumber: [.integer, .natural, .real, .money].contains(field.type))
        }
        var orders: [Order] = []
        stored = try version.storedOrders(of: bytes)
        for order in stored {
            orders.append(
                Order(
                    name: order.name, words: order.declaration.words(described, in: version),
                    sums: order.declaration.sumNames(described), facets: order.declaration.facets.map(\.name),
                    count: try version.count(of: order.tree), isWhole: order.builtTo == nil, tree: order.tree))
        }
        self.orders = orders
        storedLinks = links.filter { $0.kind.hasSameBytes(as: kind.name) }
        self.links = storedLinks.map { link in
            Link(field: link.fieldName, target: link.target.words, onDelete: "\(link.action)")
        }
    }

    /// An order of the kind as a version has it, which may not be the one that the kind was asked of. Of two definitions of one name each is another.
    ///
    /// - Returns: `nil` for none.
    func stored(_ order: Order?, in version: Version) throws(LibraryError) -> StoredOrder? {
        guard let order else { return nil }
        guard let known = stored.first(where: { $0.tree == order.tree }) else {
            throw .invalidArgument("“\(order.name)” is an order of another kind, and \(name) has not got it.")
        }
        let found = try orders(in: version).first { $0.tree == known.tree && $0.declaration == known.declaration }
        guard let found else {
            throw .invalidArgument(
                "The snapshot does not have the order “\(order.name)” of \(name), as another one did. Ask this one for the kind."
            )
        }
        return found
    }

    func orders(in version: Version) throws(LibraryError) -> [StoredOrder] {
        try version.storedOrders(of: Array(name.utf8))
    }

    /// How many records a version has.
    func count(in version: Version) throws(LibraryError) -> Int {
        version.kindTree(name) == tree ? try version.count(of: tree) : 0
    }
}

extension KindFields {
    /// What a field is called; `#7` where nothing calls it.
    fileprivate func name(ofNumber number: Int?) -> String {
        let name = number.flatMap { field(numbered: $0)?.name } ?? ""
        return name.isEmpty ? "#\(number ?? 0)" : name
    }

    /// The same of a tag, and of one within the elements of a list.
    fileprivate func name(ofTag tag: UInt32, part: UInt32? = nil) -> String {
        let number = FieldNumber.number(ofTag: tag)
        let name = name(ofNumber: number)
        guard let part, let partNumber = FieldNumber.number(ofTag: part) else { return name }
        guard case .list(.record(let fields))? = number.flatMap({ field(numbered: $0) })?.type,
            let inner = fields.first(where: { $0.number == partNumber })
        else { return "\(name).#\(partNumber)" }
        return "\(name).\(inner.name)"
    }
}

extension OrderDeclaration {
    /// `account, date descending`; `author.name` of what the author is called; the places of a record with `or` between.
    fileprivate func words(_ fields: KindFields, in version: Version) -> String {
        stands.map { stand in
            stand.components.map { component in
                var words = component.computed?.name ?? fields.name(ofTag: component.tag, part: component.partTag)
                if let linked = component.linked {
                    words += "." + version.storedFields(of: Array(linked.kind.utf8)).name(ofTag: linked.tag)
                }
                return words + (component.isDescending ? " descending" : "")
            }.joined(separator: ", ")
        }.joined(separator: " or ")
    }

    fileprivate func sumNames(_ fields: KindFields) -> [String] {
        var names: [String] = []
        for sum in stands.flatMap(\.sums) {
            let name = fields.name(ofTag: sum.tag, part: sum.partTag)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}

extension Snapshot {
    /// The kinds of records that the library has, by name. O(k log n) for k kinds and orders: no record is read.
    ///
    /// - Throws: `LibraryError.damaged` when what a library says of its kinds cannot be read.
    public var kinds: [StoredKind] {
        get throws(LibraryError) {
            let links = try version.storedLinks()
            var kinds: [StoredKind] = []
            for kind in version.declarations.kinds { kinds.append(try StoredKind(kind, links, in: version)) }
            return kinds
        }
    }

    /// A kind by its name; `nil` when the library has none of it.
    public func kind(named name: String) throws(LibraryError) -> StoredKind? {
        try translatingErrors { try version.requireLoaded() }
        guard let tree = version.kindTree(name), let kind = version.declaration(of: tree) else { return nil }
        return try StoredKind(kind, try version.storedLinks(), in: version)
    }
}
