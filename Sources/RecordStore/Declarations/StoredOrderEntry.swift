import StorageEngine

/// What is stored of an order before its declaration, in 16 bytes: tree ‖ openings in which nobody declared it ‖ how far it is made.
struct OrderHead: Equatable {
    let tree: TreeNumber
    var unusedOpenings: UInt32
    var builtTo: UInt64?

    static let byteCount = 16

    /// No identifier: what is written for an order that is made.
    private static let whole = UInt64.max

    init(tree: TreeNumber, unusedOpenings: UInt32 = 0, builtTo: UInt64?) {
        (self.tree, self.unusedOpenings, self.builtTo) = (tree, unusedOpenings, builtTo)
    }

    /// `nil` for bytes that are no order.
    init?(_ value: RawSpan) {
        guard value.byteCount > Self.byteCount else { return nil }
        let word = value.loadBigEndian(at: 0)
        tree = TreeNumber(UInt32(word >> 32))
        // An order may be emptied: never a tree of records.
        guard LibraryTree.isOrder(tree) else { return nil }
        unusedOpenings = UInt32(truncatingIfNeeded: word)
        let place = value.loadBigEndian(at: 8)
        builtTo = place == Self.whole ? nil : place
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: tree.rawValue)
        bytes.append(bigEndian: unusedOpenings)
        bytes.append(bigEndian: builtTo ?? Self.whole)
        return bytes
    }
}

/// An order as it lies in the tree of orders, also one whose declaration is not known here.
struct StoredOrderEntry {
    let key: [UInt8]
    let kind: String
    let name: String
    var head: OrderHead
    let declaration: [UInt8]

    var value: [UInt8] { head.bytes + declaration }

    /// `nil` for a declaration that a later version made, of what is not known here.
    var order: StoredOrder? { try? StoredOrder(self) }

    /// - Throws: `RecordProblem` for an entry that is no order.
    init(_ key: [UInt8], _ value: [UInt8]) throws(RecordProblem) {
        guard let end = key.firstIndex(of: LibraryKey.separator), end > 0, key.count > end + 10,
            key[key.count - 9] == LibraryKey.separator,
            let kind = String(validating: key[..<end], as: UTF8.self),
            let name = String(validating: key[(end + 1)..<(key.count - 9)], as: UTF8.self)
        else { throw RecordProblem("the key \(key.hexadecimal) names no order") }
        guard let head = value.withBytes({ OrderHead($0) }) else {
            throw RecordProblem("the order “\(name)” has \(value.count) bytes, which name no tree of an order")
        }
        declaration = Array(value.dropFirst(OrderHead.byteCount))
        guard key.number(at: key.count - 8) == StoredOrder.identity(of: declaration) else {
            throw RecordProblem("the order \(name) is not the one that its key names")
        }
        if let problem = TaggedWalk.problem(in: declaration) { throw problem }
        (self.key, self.kind, self.name, self.head) = (key, kind, name, head)
    }
}

extension TreeReadable where Self: ~Copyable {
    /// The trees of the kinds that have orders, and of those whose fields these go by.
    ///
    /// - Throws: `LibraryError.damaged` for an order that cannot be read.
    var kindsInOrders: [TreeNumber] {
        get throws(LibraryError) {
            var trees: Set<TreeNumber> = []
            for kind in declarations.kinds {
                for entry in try storedOrderEntries(of: Array(kind.name.utf8)) {
                    trees.insert(kind.number)
                    for other in entry.order?.declaration.linked.compactMap(\.linked?.kind) ?? [] {
                        if let tree = kindTree(other) { trees.insert(tree) }
                    }
                }
            }
            return trees.sorted()
        }
    }

    /// The orders of a kind, by name.
    ///
    /// - Throws: `LibraryError.damaged` for one that cannot be read.
    func storedOrderEntries(of kind: [UInt8]) throws(LibraryError) -> [StoredOrderEntry] {
        var entries: [StoredOrderEntry] = []
        var problem: RecordProblem?
        try translatingErrors {
            try scan(LibraryTree.appOrders, prefix: AppRecordKey.prefix(kind)) { key, value in
                do throws(RecordProblem) {
                    entries.append(
                        try StoredOrderEntry(key.copyBytes(0..<key.byteCount), value.copyBytes(0..<value.byteCount)))
                    return true
                } catch {
                    problem = error
                    return false
                }
            }
        }
        if let problem {
            throw .damagedRecord("the orders of \(String(decoding: kind, as: UTF8.self))", problem.description)
        }
        return entries
    }
}
