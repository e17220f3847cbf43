import Filing
import StorageEngine

/// An order of a type.
struct DeclaredOrder: Sendable {
    let name: String
    let declaration: OrderDeclaration
    /// Of the components, without the optional.
    let types: [ValueType]
    /// Where the library has it.
    let key: [UInt8]
    private let encoded: [UInt8]

    /// As a library has it that files letters so.
    func filed(by tailoring: FilingTailoring) -> DeclaredOrder {
        guard let own = declaration.tailoring, own != tailoring else { return self }
        return DeclaredOrder(self, declaration.filed(by: tailoring))
    }

    /// As an earlier version has made it that folded texts by other rules, the newest first.
    var foldedBefore: some Sequence<DeclaredOrder> {
        (1..<max(1, declaration.foldingVersion)).reversed().lazy.map { version in
            var declaration = declaration
            declaration.foldingVersion = version
            return DeclaredOrder(self, declaration)
        }
    }

    private init(_ other: DeclaredOrder, _ declaration: OrderDeclaration) {
        (name, types, self.declaration) = (other.name, other.types, declaration)
        encoded = declaration.encoded()
        // The identity of the definition, and all that precedes it.
        key = other.key.dropLast(8) + .bigEndian(StoredOrder.identity(of: encoded))
    }

    init(_ kind: String, name: String, declaration: OrderDeclaration, types: [ValueType]) {
        self.name = name
        self.declaration = declaration
        self.types = types
        encoded = declaration.encoded()
        key = StoredOrder.key(Array(kind.utf8), name, identity: StoredOrder.identity(of: encoded))
    }

    /// The order as the library has it, from the bytes under its key; `nil` when those declare another. Made for every list, so nothing is
    /// decoded.
    func stored(as value: RawSpan) -> StoredOrder? {
        guard let head = OrderHead(value), value.byteCount == OrderHead.byteCount + encoded.count,
            value.extracting(OrderHead.byteCount...).firstOccurrence(of: encoded) == 0
        else { return nil }
        return StoredOrder(
            name: name, tree: head.tree, declaration: declaration, builtTo: head.builtTo,
            unusedOpenings: head.unusedOpenings)
    }

    /// Without a tree of its own yet.
    var toBeMade: StoredOrder { StoredOrder(name: name, tree: LibraryTree.firstOrder, declaration: declaration) }
}

extension StoredOrder {
    /// Whether it is what a type declares, filed as the library files.
    func isDeclared(as declared: DeclaredOrder) -> Bool {
        name.hasSameBytes(as: declared.name) && declaration == declared.declaration
    }
}

extension [StoredOrder] {
    /// Whether one of them is what a type declares, filed as the library files.
    func contains(_ declared: DeclaredOrder) -> Bool { contains { $0.isDeclared(as: declared) } }

    /// The same, and that no opening counts against it.
    func containsInUse(_ declared: DeclaredOrder) -> Bool {
        contains { $0.unusedOpenings == 0 && $0.isDeclared(as: declared) }
    }
}

extension TreeReadable where Self: ~Copyable {
    /// That of a type as the library has it; `nil` where it has none of this declaration.
    func storedOrder(_ declared: DeclaredOrder) throws(LibraryError) -> StoredOrder? {
        let declared = declared.declaration.isFiled ? declared.filed(by: try LibraryMeta.filing(self)) : declared
        return try stored(declared.key, in: LibraryTree.appOrders) { declared.stored(as: $0) } ?? nil
    }

    /// That of a type, made by an earlier version. It holds all records until the next of them is written, which makes it anew; what is looked for in it
    /// by a text may be missed where those rules folded that otherwise. Of what code works out folded the declaration says so by name, and none is found.
    func orderFoldedBefore(_ declared: DeclaredOrder) throws(LibraryError) -> StoredOrder? {
        let filed = declared.declaration.isFiled ? declared.filed(by: try LibraryMeta.filing(self)) : declared
        for earlier in filed.foldedBefore {
            let found = try stored(earlier.key, in: LibraryTree.appOrders) { earlier.stored(as: $0) } ?? nil
            if let found { return found }
        }
        return nil
    }

    /// Those that a type declares, when the library has these and no others of the kind: as a rule it does, and then nothing is decoded.
    func onlyOrders(of kind: [UInt8], _ declared: [DeclaredOrder]) throws(LibraryError) -> [StoredOrder]? {
        let prefix = AppRecordKey.prefix(kind)
        let places = try positions(of: LibraryTree.appOrders, from: prefix, to: AppRecordKey.end(of: prefix))
        guard places.count == declared.count else { return nil }
        var orders: [StoredOrder] = []
        for declared in declared {
            guard let order = try stored(declared.key, in: LibraryTree.appOrders, { declared.stored(as: $0) }) ?? nil,
                order.unusedOpenings == 0
            else { return nil }
            orders.append(order)
        }
        return orders
    }
}
