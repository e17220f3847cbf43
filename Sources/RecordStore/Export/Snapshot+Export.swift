import StorageEngine

extension Snapshot {
    /// Gives out the whole library as lines of JSON, one record a line.
    ///
    /// First what the library keeps beside declared records, each kind by ascending identifier, and then the app's own records: of each kind a
    /// line that says what its fields are called and mean, and a line for each record. A kind comes behind those that it links to. Members have
    /// a fixed order and what is absent is left out, so that two libraries with the same content export the same bytes; `importLines` makes
    /// such a library of them.
    ///
    /// - Parameters:
    ///   - kinds: the names of the app's own kinds to give out, in place of everything; one that the library has not is passed over. Who takes
    ///     the lines in needs what their links lead to, too.
    ///   - emit: is given one line at a time, without a line end. Memory stays bounded by the longest record.
    /// - Throws: `LibraryError.damaged` when a record cannot be read; `.invalidArgument` when the library holds what its store does not know;
    ///   what `emit` throws.
    public func export(only kinds: Set<String>? = nil, to emit: (String) throws -> Void) throws {
        if kinds == nil {
            try requireKnownTrees(to: "export")
            try version.contents.export(self, emit)
        }
        let links = try version.storedLinks()
        let all = Self.inOrder(version.declarations.kinds, of: links)
        for kind in all where kinds?.contains(kind.name) != false {
            let json = RecordJSON(kind: kind.name, fields: version.storedFields(of: Array(kind.name.utf8)))
            try emit(KindJSON.line(kind.name, json.fields, links.filter { $0.kind == kind.name }))
            var records = RecordIterator(version, kind.number)
            while let (key, value) = try records.nextEntry() {
                guard key.count == 8 else { continue }
                try emit(try json.line(ID(rawValue: key.number(at: 0)), value))
            }
        }
    }

    /// - Parameter verb: what only somebody who knows all trees can do, as in “can export all of it”.
    /// - Throws: `LibraryError.invalidArgument` when there are records that nobody here knows.
    func requireKnownTrees(to verb: String) throws(LibraryError) {
        let known = Set(version.contents.allTrees.map(\.number))
        for tree in version.declarations where tree.number < LibraryTree.firstOrder && !known.contains(tree.number) {
            guard try version.count(of: tree.number) == 0 else {
                throw .invalidArgument(
                    "The library keeps more than records, in the tree “\(tree.name)”: only a store that knows it, such as a BookStore, can "
                        + "\(verb) all of it.")
            }
        }
    }

    /// Each kind behind those that it links to, as far as none leads back; by name where that leaves a choice.
    private static func inOrder(_ kinds: [TreeDeclaration], of links: [StoredLink]) -> [TreeDeclaration] {
        var (rest, ordered) = (kinds, [TreeDeclaration]())
        while !rest.isEmpty {
            let index = rest.firstIndex { kind in
                !links.contains { link in
                    link.kind == kind.name && rest.contains { $0.name != kind.name && link.target == .records($0.name) }
                }
            }
            ordered.append(rest.remove(at: index ?? 0))
        }
        return ordered
    }

    /// Calls `body` with the identifier of each record of a kind, ascending.
    ///
    /// They are taken some at a time, since `body` may throw what a scan cannot pass on.
    package func forEachIdentifier(of kind: BuiltInKind, _ body: (UInt64) throws -> Void) throws {
        var last: [UInt8]?
        while true {
            let identifiers = try version.identifiers(of: kind, after: last, limit: 512)
            for identifier in identifiers { try body(identifier) }
            guard let end = identifiers.last else { return }
            last = kind.key(end)
        }
    }
}

extension Version {
    fileprivate func identifiers(
        of kind: BuiltInKind, after key: [UInt8]?, limit: Int
    ) throws(LibraryError) -> [UInt64] {
        var identifiers: [UInt64] = []
        try translatingErrors {
            try scan(kind.tree, after: key) { key, _ in
                if let identifier = kind.identifier(ofKey: key) { identifiers.append(identifier) }
                return identifiers.count < limit
            }
        }
        return identifiers
    }
}
