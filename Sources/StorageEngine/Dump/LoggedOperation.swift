/// One operation of a commit, in values of its own.
public struct LoggedOperation: Sendable {
    public enum Kind: Sendable {
        case put(facets: UInt16, value: [UInt8])
        case remove
        case declare(TreeDeclaration)
        /// All entries of the tree go.
        case clear
        /// What a commit says beside its operations; its bytes are the value, and it is of no tree.
        case note(code: UInt8, value: [UInt8])
    }

    public let kind: Kind
    /// `nil` for a note.
    public let tree: TreeNumber?
    /// Empty where the operation is of the whole tree.
    public let key: [UInt8]

    /// What a payload holds, up to the first bytes that are no operation.
    static func all(in payload: [UInt8]) -> (found: [LoggedOperation], isWhole: Bool) {
        var found: [LoggedOperation] = []
        let isWhole = payload.withBytes { payload in
            try? Operation.forEach(in: payload) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, let key, let facets, let value):
                    found.append(
                        .init(kind: .put(facets: facets, value: value.copyBytes()), tree: tree, key: key.copyBytes()))
                case .remove(let tree, let key): found.append(.init(kind: .remove, tree: tree, key: key.copyBytes()))
                case .clear(let tree): found.append(.init(kind: .clear, tree: tree, key: []))
                case .note(let code, let value):
                    found.append(.init(kind: .note(code: code, value: value.copyBytes()), tree: nil, key: []))
                case .declare(let tree): found.append(.init(kind: .declare(tree), tree: tree.number, key: []))
                }
            }
        }
        return (found, isWhole ?? false)
    }

    /// Whether it may change the entry with that key.
    func concerns(_ key: [UInt8]) -> Bool {
        if case .clear = kind { true } else { self.key == key }
    }

    /// A note; by its code alone where its bytes do not say what such a note does.
    private static func words(of note: [UInt8], _ code: UInt8) -> String {
        switch code {
        case LogNote.before where note.isEmpty: return "note \(code), nothing was replaced"
        case LogNote.before:
            guard let entry = EntryBefore(note: note) else { break }
            return "note \(code), before \(DumpText.words(entry.key)) in tree \(entry.tree.rawValue) was "
                + "\(DumpText.count(entry.value.count, "byte")) \(DumpText.words(entry.value))"
        case LogNote.name: return "note \(code), called \(DumpText.words(note))"
        case LogNote.undone where note.count == 8:
            return "note \(code), undoes commit \(note.withBytes { $0.loadBigEndian(at: 0) })"
        default: break
        }
        return "note \(code), \(DumpText.count(note.count, "byte")) \(DumpText.words(note))"
    }

    var words: String {
        let number = tree?.rawValue ?? 0
        return switch kind {
        case .put(let facets, let value):
            "put \(DumpText.words(key)) in tree \(number), facets \(String(facets, radix: 2)), "
                + "\(DumpText.count(value.count, "byte")) \(DumpText.words(value))"
        case .remove: "remove \(DumpText.words(key)) from tree \(number)"
        case .clear: "clear tree \(number)"
        case .note(let code, let value): Self.words(of: value, code)
        case .declare(let declaration):
            "declare tree \(number) \(DumpText.words(Array(declaration.name.utf8))), "
                + "facets \(declaration.facetCount), columns \(declaration.columns.words), "
                + "placement \(declaration.placement.rawValue), "
                + "home \(declaration.home.map { "\($0.tree.rawValue) behind \($0.lead)" } ?? "none")"
        }
    }
}
