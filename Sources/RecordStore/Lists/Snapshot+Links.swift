extension Snapshot {
    /// The records of a type that name a record by a link of theirs: of a category all transfers. As fast as any list in an order.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for a field that the type declares no link by.
    public func list<Value: Record, Field: Encodable>(
        _ type: Value.Type, linkedBy field: KeyPath<Value, Field>, to id: Field
    ) throws(LibraryError) -> RecordOrderList<Value> {
        try list(type, try RecordKind<Value>.current.orderName(ofLink: field), of: id)
    }

    /// The same by a list of links: of a group all who have it among theirs.
    public func list<Value: Record, Target>(
        _ type: Value.Type, linkedBy list: KeyPath<Value, [RecordStore.ID<Target>]>, to id: RecordStore.ID<Target>
    ) throws(LibraryError) -> RecordOrderList<Value> {
        try self.list(type, try RecordKind<Value>.current.orderName(ofLink: list), of: id)
    }

    /// The same by a field of the elements of a list: of a category all that have a part of it.
    public func list<Value: Record, Part: RecordPart, Field: Encodable>(
        _ type: Value.Type, linkedByEach list: KeyPath<Value, [Part]>, _ field: KeyPath<Part, Field> & Sendable,
        to id: Field
    ) throws(LibraryError) -> RecordOrderList<Value> {
        try self.list(type, try RecordKind<Value>.current.orderName(ofLink: list, PartField(field)), of: id)
    }
}

extension LibraryTransaction {
    /// The same over what the transaction has written so far.
    public func list<Value: Record, Field: Encodable>(
        _ type: Value.Type, linkedBy field: KeyPath<Value, Field>, to id: Field
    ) throws(LibraryError) -> TransactionOrderList<Value> {
        try list(type, try RecordKind<Value>.current.orderName(ofLink: field), of: id)
    }

    /// The same by a list of links.
    public func list<Value: Record, Target>(
        _ type: Value.Type, linkedBy list: KeyPath<Value, [RecordStore.ID<Target>]>, to id: RecordStore.ID<Target>
    ) throws(LibraryError) -> TransactionOrderList<Value> {
        try self.list(type, try RecordKind<Value>.current.orderName(ofLink: list), of: id)
    }

    /// The same by a field of the elements of a list: of a category all that have a part of it.
    public func list<Value: Record, Part: RecordPart, Field: Encodable>(
        _ type: Value.Type, linkedByEach list: KeyPath<Value, [Part]>, _ field: KeyPath<Part, Field> & Sendable,
        to id: Field
    ) throws(LibraryError) -> TransactionOrderList<Value> {
        try self.list(type, try RecordKind<Value>.current.orderName(ofLink: list, PartField(field)), of: id)
    }
}

extension Records {
    /// The records that link to what is not there, by the names of the fields: from before the link was declared, or lost with what a
    /// repair could not save. Empty as a rule. Reads all records of the type.
    public func brokenLinks() throws(LibraryError) -> [(field: String, identifiers: [RecordStore.ID<Value>])] {
        let kind = RecordKind<Value>.current
        try kind.check()
        try version.check(kind)
        var broken: [(field: String, identifiers: [RecordStore.ID<Value>])] = []
        for link in kind.links where link.action != .keep {
            let identifiers = try kind.brokenLinks(of: link, in: version)
            if !identifiers.isEmpty { broken.append((link.name, identifiers)) }
        }
        return broken
    }
}
