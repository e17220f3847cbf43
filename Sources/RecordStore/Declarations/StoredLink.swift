import StorageEngine

/// A link as the library has it, so that deleting a record finds those that name it also where their type is not known.
package struct StoredLink: Hashable, Sendable {
    package let target: LinkTarget
    /// The kind whose records have the field.
    package let kind: String
    package let field: LinkField
    let action: LinkAction
    /// For people.
    package let fieldName: String
    /// Whether every record named one that was there when the link was stored. Each that names none by now is damage then.
    package let isWhole: Bool

    /// Target ‖ name of the kind ‖ 00 ‖ tag within an element, or 0 ‖ tag.
    var key: [UInt8] {
        target.key + AppRecordKey.prefix(Array(kind.utf8))
            + .bigEndian(UInt64(field.partTag ?? 0) << 32 | UInt64(field.tag))
    }

    private enum Tag {
        static let action: UInt32 = 1
        static let field: UInt32 = 2
        static let isWhole: UInt32 = 3
        static let isList: UInt32 = 4
    }

    var value: [UInt8] {
        var writer = RecordWriter()
        writer.number(Tag.action, UInt64(action.rawValue))
        writer.write(Tag.field, fieldName.utf8)
        writer.number(Tag.isWhole, isWhole ? 1 : 0)
        writer.number(Tag.isList, field.isList ? 1 : 0)
        return writer.finish()
    }

    init(
        _ target: LinkTarget, kind: String, _ field: LinkField, named name: String, _ action: LinkAction, isWhole: Bool
    ) {
        (self.target, self.kind, self.field) = (target, kind, field)
        (self.action, fieldName, self.isWhole) = (action, name, isWhole)
    }

    /// The same, by which records may name what is not there.
    var loosened: StoredLink {
        StoredLink(target, kind: kind, field, named: fieldName, action, isWhole: false)
    }

    /// The same by another rule.
    func with(_ action: LinkAction) -> StoredLink {
        StoredLink(target, kind: kind, field, named: fieldName, action, isWhole: isWhole)
    }

    /// - Throws: `RecordProblem` for an entry that is no link.
    init(_ key: [UInt8], _ value: [UInt8], among kinds: [BuiltInKind]) throws(RecordProblem) {
        guard let (target, start) = LinkTarget.parse(key, among: kinds),
            let end = key[start...].firstIndex(of: LibraryKey.separator), key.count == end + 9,
            let kind = String(validating: key[start..<end], as: UTF8.self)
        else { throw RecordProblem("a key of \(key.count) bytes names no link") }
        var (action, fieldName, isWhole, isList) = (LinkAction.keep, "", false, false)
        var walk = TaggedWalk(value, 0..<value.count)
        while let (tag, place) = try walk.next() {
            switch (tag, place) {
            case (Tag.action, .number(let number)):
                guard let known = UInt8(exactly: number).flatMap(LinkAction.init) else {
                    throw RecordProblem("a link does what is not known here, \(number)")
                }
                action = known
            case (Tag.field, .bytes(let range)): fieldName = String(decoding: value[range], as: UTF8.self)
            case (Tag.isWhole, .number(let number)): isWhole = number != 0
            case (Tag.isList, .number(let number)): isList = number != 0
            default: throw RecordProblem("a link has a field \(tag) that is not known here")
            }
        }
        let tags = key.number(at: end + 1)
        let (tag, partTag) = (UInt32(truncatingIfNeeded: tags), UInt32(tags >> 32))
        guard isList || partTag == 0 else { throw RecordProblem("a link is of elements, and of no list") }
        (self.target, self.kind) = (target, kind)
        field = LinkField(tag: tag, isList: isList, partTag: partTag == 0 ? nil : partTag)
        (self.action, self.fieldName, self.isWhole) = (action, fieldName, isWhole)
    }
}

extension TreeReadable where Self: ~Copyable {
    /// The links to records of a target, or all.
    package func storedLinks(to target: LinkTarget? = nil) throws(LibraryError) -> [StoredLink] {
        let kinds = builtInKinds
        var links: [StoredLink] = []
        var problem: RecordProblem?
        try translatingErrors {
            try scan(LibraryTree.appLinks, prefix: target?.key ?? []) { key, value in
                do throws(RecordProblem) {
                    links.append(
                        try StoredLink(
                            key.copyBytes(0..<key.byteCount), value.copyBytes(0..<value.byteCount), among: kinds))
                    return true
                } catch {
                    problem = error
                    return false
                }
            }
        }
        if let problem { throw .damagedRecord("the links to \(target?.words ?? "records")", problem.description) }
        return links
    }

    /// The order that has those together who name one record by a link; `nil` where none does, or it is still being made.
    func wholeOrder(by link: StoredLink) throws(LibraryError) -> StoredOrder? {
        try storedOrders(of: Array(link.kind.utf8)).first {
            $0.builtTo == nil && $0.declaration.begins(with: link.field)
        }
    }

    /// All records of a link's kind that can be read, each with what it names by the link, until `body` returns false.
    func forEachLink(
        _ link: StoredLink, _ body: (_ id: UInt64, _ named: Set<UInt64>) -> Bool
    ) throws(LibraryError) {
        guard let tree = kindTree(link.kind) else { return }
        try translatingErrors {
            try scan(tree) { key, value in
                guard key.byteCount == 8,
                    let named = try? link.field.identifiers(in: value.copyBytes(0..<value.byteCount))
                else { return true }
                return body(key.trailingIdentifier, Set(named))
            }
        }
    }

    /// The records of a link's kind that name one of some records by it, with what they name, until `body` returns false. From an order
    /// that begins with the field; without one that is whole all records of the kind are read once.
    func forEachRecord(
        linkedBy link: StoredLink, toAnyOf targets: [UInt64], _ body: (_ id: UInt64, _ target: UInt64) -> Bool
    ) throws(LibraryError) {
        guard let order = try wholeOrder(by: link), let component = order.declaration.components.first else {
            let targets = Set(targets)
            return try forEachLink(link) { id, named in named.intersection(targets).allSatisfy { body(id, $0) } }
        }
        try translatingErrors {
            var goesOn = true
            for target in targets where goesOn {
                guard let prefix = try? component.bytes(.eightBytes(target)) else { continue }
                try scan(order.tree, prefix: prefix) { key, _ in
                    if key.byteCount >= prefix.count + 8 {
                        goesOn = body(key.loadBigEndian(at: key.byteCount - 8), target)
                    }
                    return goesOn
                }
            }
        }
    }
}

extension OrderDeclaration {
    /// Whether all records that name one in a field stand together, and no others with them. Not of an order that other records move: it may
    /// have to be made anew for them, who are found by one that begins so. Nor of one that is made of records as upgrades change them: a link is what is
    /// stored.
    func begins(with field: LinkField) -> Bool {
        guard linked.isEmpty, !needsCode, let stand = stands.first, stands.count == 1,
            let first = stand.components.first,
            !isFoldedOtherwise,
            stand.components.dropFirst().allSatisfy({ $0.occurrence == .always || $0.occurrence == .first })
        else { return false }
        return first.tag == field.tag && first.partTag == field.partTag && first.kind == .number
            && first.occurrence != .first && (first.occurrence == .each) == field.isList
    }
}
