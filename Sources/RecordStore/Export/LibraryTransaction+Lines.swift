import StorageEngine

extension LibraryTransaction {
    /// Takes in a line of an export, under its own identifier.
    ///
    /// - Parameter isLinkedTo: whether something that is not there counts as there, since it comes in the same transaction.
    /// - Throws: `LibraryError` that is of data for a line that is refused: nothing of it was changed then.
    mutating func take(
        _ line: JSONValue, isLinkedTo: (LinkedRecord) -> Bool = { _ in false }
    ) throws(LibraryError) -> TakenLine {
        switch line["type"]?.text {
        case "kind"?: return try takeKind(line)
        case "record"?: return try takeRecord(line, isLinkedTo)
        case let type?:
            let contents = types?.contents as? LibraryContents
            if let taken = try contents?.take?(&self, line) { return taken }
            throw .invalidValue("A line of the type “\(type)” is of what this library does not keep.")
        case nil: throw .invalidValue("A line of an export is a JSON object with a “type”.")
        }
    }

    // MARK: Kinds

    private mutating func takeKind(_ line: JSONValue) throws(LibraryError) -> TakenLine {
        let kind = try kindName(line)
        let (fields, links) = try declared(by: line, kind)
        let stored = trees.storedFields(of: Array(kind.utf8))
        let met = types?.kinds(named: kind) ?? []
        let joined = try stored.joined(with: fields, met.fieldRevisions, kind: kind)
        // What no type of the app could read any more must not come in.
        for type in met { _ = try joined.joined(with: type.described, type.fieldRevisions, kind: kind) }
        try Limits.checkValue(of: joined.encoded().count, "What \(kind) says of its fields")
        // The app's own rules stay: a line may be older than they are.
        let known = try self.links(ofKind: kind)
        let new = links.filter { link in !known.contains { $0.field.isPlace(of: link.field) } }
        let isTreeNew = trees.declaration(of: KindTree.number(of: kind)) == nil
        guard isTreeNew || joined != stored || !new.isEmpty else { return .known }
        try apply { (transaction) throws(LibraryError) in
            if isTreeNew { try translatingErrors { try transaction.trees.declare(KindTree.declaration(of: kind)) } }
            if joined != stored {
                try transaction.put(joined.encoded(), forKey: Array(kind.utf8), in: LibraryTree.appFields)
                transaction.describedTypes = []
                transaction.latestFields = nil
                transaction.types?.forgetFields(ofKind: kind, before: transaction.trees.commitNumber)
            }
        }
        for link in new { try replaceLinks(ofKind: kind, link.field, with: link) }
        return .inserted
    }

    private func declared(
        by line: JSONValue, _ kind: String
    ) throws(LibraryError) -> (fields: KindFields, links: [StoredLink]) {
        let links: [StoredLink]
        let fields: KindFields
        do throws(RecordProblem) {
            fields = try KindJSON.fields(of: line)
            // Of records that are here already nobody has looked whom they name.
            let isNew = trees.kindTree(kind) == nil
            links = try KindJSON.links(of: line, kind, canBeWhole: isNew, among: trees.builtInKinds)
        } catch {
            throw .invalidValue("The line of the kind \(kind) cannot be read: \(error.description).")
        }
        for link in links {
            if case .records(let target) = link.target { try trees.checkName(ofKind: target) }
        }
        return (fields, links)
    }

    private func kindName(_ line: JSONValue) throws(LibraryError) -> String {
        guard let kind = line["kind"]?.text, AppRecordKey.isName(kind) else {
            throw .invalidValue("A line of a record names its “kind”, with 1 to 64 bytes, none of them zero.")
        }
        if let number = UInt32(kind.drop { $0 != " " }.dropFirst()), kind == KindTree.nameless(TreeNumber(number)) {
            throw .invalidValue(
                "“\(kind)” is a kind whose name a repair has not found. Let its app write one such record in the library that was exported, "
                    + "and export that again.")
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
        let bytes = try RecordJSON(kind: kind, fields: knownFields(of: kind)).bytes(of: line)
        try Limits.checkValue(of: bytes.count, "A \(kind)")
        try checkGiven(id)
        if let stored = try trees.recordBytes(id.rawValue, in: tree) {
            if stored == bytes { return .known }
            throw .duplicate(
                "\(kind) \(id) is in the library already, and is another. Delete it first, or leave the line out.")
        }
        for (link, named) in try links(of: bytes, kind) {
            // Only in a list: a single one that is 0 is absent.
            guard named.id != 0 else {
                throw .invalidValue("Its \(link.fieldName) have an identifier that is 0, which is nobody's.")
            }
            if isLinkedTo(named) { continue }
            if try trees.has(named.target, named.id) { continue }
            let words = "Its \(link.fieldName) \(link.field.isList ? "have" : "is") \(named.words), which is not there."
            return .waits(named.id, words)
        }
        let known = try apply { (transaction) throws(LibraryError) in try transaction.orders(ofKind: kind) }
        let orders = known.filter { $0.isWritten(id.rawValue) }
        let entries = try orders.requiredEntries(of: bytes, (kind, id.rawValue), as: "\(kind) \(id)", in: trees)
        try checkUnique(entries, bytes, of: (kind, id.rawValue), in: orders)
        let linked = try linkedEntries(by: (kind, id.rawValue), from: nil, to: bytes)
        try apply { (transaction) throws(LibraryError) in
            try transaction.replaceEntries([], with: entries, of: id.rawValue, in: orders)
            try transaction.putLater(bytes, forKey: id.rawValue, in: tree)
            try transaction.follow(linked)
            transaction.noteGiven(id)
            transaction.changes.records[kind, default: Changes()].insert(id)
            transaction.changes.returnedKinds.insert(kind)
        }
        return .inserted
    }

    /// What a record on a line names, by links that lead to what is there: those that never did are nobody's fault.
    private mutating func links(
        of bytes: [UInt8], _ kind: String
    ) throws(LibraryError) -> [(link: StoredLink, named: LinkedRecord)] {
        var named: [(StoredLink, LinkedRecord)] = []
        for link in try links(ofKind: kind) where link.isWhole {
            for id in (try? link.field.identifiers(in: bytes)) ?? [] {
                named.append((link, LinkedRecord(target: link.target, id: id)))
            }
        }
        return named
    }

    /// The same of a line that may be no record, or none that can be read: of that nothing.
    mutating func named(by line: JSONValue) throws(LibraryError) -> [LinkedRecord] {
        guard line["type"]?.text == "record", let kind = line["kind"]?.text else { return [] }
        guard let bytes = try? RecordJSON(kind: kind, fields: knownFields(of: kind)).bytes(of: line) else { return [] }
        return try links(of: bytes, kind).map(\.named).filter { $0.id != 0 }
    }

    /// The fields of a kind, which are asked for once a transaction.
    private mutating func knownFields(of kind: String) -> KindFields {
        if let latestFields, latestFields.kind == kind { return latestFields.fields }
        let fields = trees.storedFields(of: Array(kind.utf8))
        latestFields = (kind, fields)
        return fields
    }
}
