import StorageEngine

extension LibraryTransaction {
    /// Takes in a line of an export, under its own identifier.
    ///
    /// - Parameter isLinkedTo: whether something that is not there counts as there, since it comes in the same transaction.
    /// - Throws: `LibraryError` that is of data for a line that is refused. Nothing was changed then.
    mutating func take(
        _ line: JSONValue, isLinkedTo: (LinkedRecord) -> Bool = { _ in false }
    ) throws(LibraryError) -> TakenLine {
        switch line["type"]?.text {
        case "kind"?: return try takeKind(line)
        case "record"?: return try takeRecord(line, isLinkedTo)
        case let type?:
            let contents = (trees.attachment as? RecordTypes)?.contents as? LibraryContents
            if let taken = try contents?.take?(&self, line) { return taken }
            throw .invalidValue("A line of the type “\(type)” is of what this library does not keep.")
        case nil: throw .invalidValue("A line of an export is a JSON object with a “type”.")
        }
    }

    // MARK: Kinds

    private mutating func takeKind(_ line: JSONValue) throws(LibraryError) -> TakenLine {
        let kind = try kindName(line)
        let stored = try trees.storedFields(of: Array(kind.utf8))
        let fields: KindFields
        let links: [StoredLink]
        do throws(RecordProblem) {
            fields = try KindJSON.fields(of: line)
            let isNew = trees.kindTree(kind) == nil
            links = try KindJSON.links(of: line, kind, isWhole: isNew, among: trees.builtInKinds)
        } catch {
            throw .invalidValue("The line of the kind \(kind) cannot be read: \(error.description).")
        }
        let joined = try stored.joined(with: fields, renamed: [], kind: kind)
        let known = try self.links(ofKind: kind)
        let new = links.filter { link in
            !known.contains { $0.key == link.key && $0.action == link.action && $0.fieldName == link.fieldName }
        }
        let isTreeNew = trees.declaration(of: KindTree.number(of: kind)) == nil
        guard isTreeNew || joined != stored || !new.isEmpty else { return .known }
        try apply { (transaction) throws(LibraryError) in
            if isTreeNew { try translatingErrors { try transaction.trees.declare(KindTree.declaration(of: kind)) } }
            if joined != stored {
                try transaction.put(joined.encoded(), forKey: Array(kind.utf8), in: LibraryTree.appFields)
                transaction.describedTypes = []
                transaction.latestFields = nil
            }
        }
        for link in new { try replaceLinks(ofKind: kind, link.field, with: link) }
        return .inserted
    }

    private func kindName(_ line: JSONValue) throws(LibraryError) -> String {
        guard let kind = line["kind"]?.text, AppRecordKey.nameByteCount.contains(kind.utf8.count),
            !kind.utf8.contains(LibraryKey.separator)
        else {
            throw .invalidValue("A line of a record names its “kind”, with 1 to 64 bytes, none of them zero.")
        }
        try trees.checkName(ofKind: kind)
        return kind
    }

    // MARK: Records

    private mutating func takeRecord(
        _ line: JSONValue, _ isLinkedTo: (LinkedRecord) -> Bool
    ) throws(LibraryError) -> TakenLine {
        let kind = try kindName(line)
        guard let id = line["id"]?.text.flatMap({ ID<AppRecord>($0) }), id.isAssigned else {
            throw .invalidValue("A line of a record has an “id”, such as a3f09c-1024.")
        }
        guard let tree = trees.kindTree(kind) else {
            throw .invalidValue(
                "There is no kind \(kind) here. The line that says what its fields are comes before its records.")
        }
        let fields = try knownFields(of: kind)
        let bytes = try RecordJSON(kind: kind, fields: fields).bytes(of: line)
        try Limits.checkValue(of: bytes.count, "A \(kind)")
        if let stored = try trees.recordBytes(id.rawValue, in: tree) {
            if stored == bytes { return .known }
            throw .duplicate(
                "\(kind) \(id) is in the library already, and is another. Delete it first, or leave the line out.")
        }
        if let missing = try missingLink(of: bytes, kind, isLinkedTo) { return .waits(missing) }
        try checkUniqueKeys(of: bytes, kind, id)
        let orders = try apply { (transaction) throws(LibraryError) in try transaction.orders(ofKind: kind) }
        for order in orders where order.takes(id.rawValue) {
            guard case .failure(let problem) = try order.entries(of: bytes, (kind, id.rawValue), in: trees) else {
                continue
            }
            throw .invalidValue("The order “\(order.name)” does not take \(kind) \(id): \(problem.description).")
        }
        let entries = try orders.possibleEntries(of: bytes, (kind, id.rawValue), in: trees)
        let linked = try linkedEntries(by: (kind, id.rawValue), from: [], to: bytes)
        try apply { (transaction) throws(LibraryError) in
            try transaction.replaceEntries([], with: entries, of: id.rawValue, in: orders)
            try transaction.putLater(bytes, forKey: id.rawValue, in: tree)
            try transaction.replaceIndexKeys(kind, id.rawValue, from: nil, to: bytes)
            try transaction.follow(linked)
            transaction.noteGiven(id)
            transaction.changes.records[kind, default: Changes()].insert(id)
        }
        return .inserted
    }

    /// What a record on a line names and is not there, in words; `nil` also for a line that is no record.
    mutating func missing(
        from line: JSONValue, _ isLinkedTo: (LinkedRecord) -> Bool
    ) throws(LibraryError) -> String? {
        guard line["type"]?.text == "record", let kind = line["kind"]?.text else { return nil }
        let json = RecordJSON(kind: kind, fields: try knownFields(of: kind))
        guard let bytes = try? json.bytes(of: line) else { return nil }
        return try missingLink(of: bytes, kind, isLinkedTo)
    }

    /// The fields of a kind, which are asked for once a transaction.
    private mutating func knownFields(of kind: String) throws(LibraryError) -> KindFields {
        if let latestFields, latestFields.kind == kind { return latestFields.fields }
        let fields = try trees.storedFields(of: Array(kind.utf8))
        latestFields = (kind, fields)
        return fields
    }

    /// What a record names and is not there, in words.
    private mutating func missingLink(
        of bytes: [UInt8], _ kind: String, _ isLinkedTo: (LinkedRecord) -> Bool
    ) throws(LibraryError) -> String? {
        for link in try links(ofKind: kind) {
            for id in (try? link.field.identifiers(in: bytes)) ?? [] where id != 0 {
                let named = LinkedRecord(target: link.target, id: id)
                guard try !trees.has(link.target, id), !isLinkedTo(named) else { continue }
                return "Its \(link.fieldName) \(link.field.isList ? "have" : "is") \(named.words), which is not there."
            }
        }
        return nil
    }

    /// - Throws: `LibraryError.notUnique` when another record has a unique key of this one, as far as the type of the records was met.
    private func checkUniqueKeys(of bytes: [UInt8], _ kind: String, _ id: ID<AppRecord>) throws(LibraryError) {
        let prefix = AppRecordKey.prefix(Array(kind.utf8))
        guard let stamp = try trees.stored(prefix, in: LibraryTree.appIndexes, { $0.copyBytes(0..<$0.byteCount) }),
            let known = (trees.attachment as? RecordTypes)?.kind(named: kind, stamp: stamp),
            let keys = try? known.entryKeys(ofBytes: bytes, id: id.rawValue)
        else { return }
        for key in keys {
            guard let index = AppRecordKey.entryParts(key)?.index, index.first == UInt8(ascii: "=") else { continue }
            let holders = try trees.keys(
                of: LibraryTree.appIndexes, prefix: Array(key.dropLast(8)), after: nil, limit: 1)
            guard let holder = holders.first, holder.count == key.count else { continue }
            let fields = String(decoding: index.dropFirst(), as: UTF8.self).split(separator: "+").map(String.init)
            throw .notUnique(kind: kind, fields: fields, identifier: holder.number(at: holder.count - 8))
        }
    }
}
