import StorageEngine

extension LibraryTransaction {
    /// - Throws: `LibraryError.recordNotFound` when a record links to one that is not there, also by a link that another version of the app
    ///   declares. What it linked to before, it may go on to. Nothing was changed then.
    mutating func checkLinks<Value: Record>(
        of bytes: [UInt8], replacing old: [UInt8]?, _ kind: RecordKind<Value>
    ) throws(LibraryError) {
        // A field may have been a link when there were other records.
        try bringFieldsUpToDate(kind)
        try bringLinksUpToDate(kind)
        let links = try links(ofKind: kind.name)
        try kind.check(links, of: bytes, replacing: old) { (target, id) throws(LibraryError) in
            try trees.has(target, id)
        }
    }

    /// The links of a kind, whichever version of the app declared them.
    mutating func links(ofKind kind: String) throws(LibraryError) -> [StoredLink] {
        try links().filter { $0.kind == kind }
    }

    /// The links to records of a kind.
    mutating func links(toKind kind: String) throws(LibraryError) -> [StoredLink] {
        try links().filter { $0.target == .records(kind) }
    }

    private mutating func links() throws(LibraryError) -> [StoredLink] {
        if let knownLinks { return knownLinks }
        let links = try trees.storedLinks()
        knownLinks = links
        return links
    }

    /// Stores the links that a type declares where the library has others. One that it does not declare stays: another version of the app
    /// may.
    mutating func bringLinksUpToDate<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError) {
        guard !kind.links.isEmpty || !kind.endedLinks.isEmpty, !linkedTypes.contains(ObjectIdentifier(Value.self))
        else {
            return
        }
        for link in kind.links {
            if case .records(let target) = link.target { try trees.checkName(ofKind: target) }
        }
        for field in kind.endedLinks { try replaceLinks(ofKind: kind.name, field, with: nil) }
        for link in kind.links {
            let stored = try links(ofKind: kind.name).filter { $0.field.isPlace(of: link.field) }
            guard link.action != .keep else {
                try replaceLinks(ofKind: kind.name, link.field, with: nil)
                continue
            }
            let same = stored.first { $0.target == link.target && $0.field == link.field }
            if let same, same.action == link.action, same.fieldName == link.name { continue }
            var isWhole = same?.isWhole ?? false
            // Of many records nobody looks while others wait to write.
            if same == nil, try kind.positions(in: trees).count <= OrderBuilding.entryCountMadeAtOnce {
                isWhole = try kind.brokenLinks(of: link, in: trees, limit: 1).isEmpty
            }
            try replaceLinks(
                ofKind: kind.name, link.field, with: StoredLink(link, of: kind.name, isWhole: isWhole))
        }
        linkedTypes.insert(ObjectIdentifier(Value.self))
    }

    /// Ends the links by fields that a type does not have, or as something else than identifiers: what a new record has there would be taken for the
    /// identifier of another.
    ///
    /// - Parameter areJoined: whether other versions of the type may have fields beside its own. Then those that it says were others before are meant;
    ///   without it all, since the kind has no records.
    mutating func endFormerLinks<Value: Record>(
        of kind: RecordKind<Value>, beside areJoined: Bool
    ) throws(LibraryError) {
        func isFormer(_ field: LinkField) -> Bool {
            guard !kind.described.hasIdentifiers(field), !kind.links.contains(where: { $0.field == field }) else {
                return false
            }
            guard areJoined else { return true }
            return FieldNumber.number(ofTag: field.tag).map { kind.fieldRevisions.retyped.contains($0) } ?? false
        }
        for link in try links(ofKind: kind.name) where isFormer(link.field) {
            try replaceLinks(ofKind: kind.name, link.field, with: nil)
        }
    }

    /// Gives the links to a kind the rules that the types of this app declare: another version, which wrote since, may have stored its own. Where the
    /// types of one name do not agree, what is stored stays.
    mutating func bringLinksUpToDate(to target: LinkTarget) throws(LibraryError) {
        for link in try trees.storedLinks(to: target) {
            let declared = Set((types?.kinds(named: link.kind) ?? []).compactMap { $0.action(of: link) })
            guard declared.count == 1, let action = declared.first, action != link.action else { continue }
            try replaceLinks(ofKind: link.kind, link.field, with: action == .keep ? nil : link.with(action))
        }
    }

    mutating func replaceLinks(
        ofKind kind: String, _ field: LinkField, with link: StoredLink?
    ) throws(LibraryError) {
        let old = try links(ofKind: kind).filter { $0.field.isPlace(of: field) && $0.key != link?.key }
        guard !old.isEmpty || link != nil else { return }
        try apply { (transaction) throws(LibraryError) in
            for old in old {
                try transaction.dropOrders(ofKind: kind, by: old)
                try transaction.remove(old.key, in: LibraryTree.appLinks)
            }
            if let link { try transaction.put(link.value, forKey: link.key, in: LibraryTree.appLinks) }
        }
        knownLinks = nil
        // Other types of the name may declare other links.
        linkedTypes = []
    }
}

extension RecordKind {
    /// - Parameters:
    ///   - links: those of the kind, whichever version of the app declared them.
    ///   - has: whether a record is there to link to.
    /// - Throws: `LibraryError.recordNotFound` when a record links to one that is not. What it linked to before, it may go on to.
    func check(
        _ links: [StoredLink], of bytes: [UInt8], replacing old: [UInt8]?,
        has: (LinkTarget, UInt64) throws(LibraryError) -> Bool
    ) throws(LibraryError) {
        for link in links {
            // Bytes that no version of the type writes are reported where they are read.
            guard let named = try? link.field.identifiers(in: bytes) else { continue }
            let wasNamed = old.flatMap { try? link.field.identifiers(in: $0) } ?? []
            if named.isEmpty {
                let isNeeded = self.links.contains { $0.field == link.field && !$0.isOptional }
                guard isNeeded, old == nil || !wasNamed.isEmpty else { continue }
                throw link.unassigned
            }
            for id in named where !wasNamed.contains(id) {
                guard id != 0 else { throw link.unassigned }
                guard try !has(link.target, id) else { continue }
                let words = LinkedRecord(target: link.target, id: id).words
                throw .recordNotFound(
                    "The \(link.fieldName) of this \(name) \(link.field.isList ? "have" : "is") \(words), which is not "
                        + "there. Insert that first.")
            }
        }
    }

    /// The records that link to what is not there.
    func brokenLinks(
        of link: DeclaredLink, in trees: borrowing some TreeReadable & ~Copyable, limit: Int = .max
    ) throws(LibraryError) -> [ID<Value>] {
        var named: [UInt64: Bool] = [:]
        var broken: [ID<Value>] = []
        try trees.forEachRecord(ofKind: name) { (id, bytes) throws(LibraryError) in
            guard broken.count < limit, TaggedWalk.problem(in: bytes) == nil else { return }
            var targets = (try? link.field.identifiers(in: bytes)) ?? []
            if targets.isEmpty, !link.isOptional { targets = [0] }
            for target in targets {
                if named[target] == nil { named[target] = try trees.has(link.target, target) }
                guard named[target] == false else { continue }
                broken.append(ID(rawValue: id))
                break
            }
        }
        return broken
    }
}

extension StoredLink {
    fileprivate var unassigned: LibraryError {
        .recordNotFound(
            field.isList
                ? "The \(fieldName) of this \(kind) have an unassigned identifier. Give it that of a record, or leave it out."
                : "The \(fieldName) of this \(kind) is unassigned. Give it the identifier of a record.")
    }
}
