import StorageEngine

/// The tree that the records of a kind are in: identifier → record.
///
/// Its number follows from the name of the kind, so nobody looks it up, and a tree of which a damaged library has kept nothing but pages
/// is still that of its kind. Two names with one number are refused where the second is first used: of fifty kinds some two are, once in
/// seven thousand apps.
package enum KindTree {
    /// 23 bits of the checksum of the kind's name.
    static func number(of kind: [UInt8]) -> TreeNumber {
        TreeNumber(LibraryTree.firstKind.rawValue | CRC32C.checksum(kind) & (LibraryTree.firstKind.rawValue - 1))
    }

    package static func number(of kind: String) -> TreeNumber { number(of: Array(kind.utf8)) }

    /// The tree has the name of the kind.
    static func declaration(of kind: String) -> TreeDeclaration { declaration(number(of: kind), kind) }

    /// - Parameter name: that of the kind, or `nameless`.
    package static func declaration(_ tree: TreeNumber, _ name: String) -> TreeDeclaration {
        TreeDeclaration(tree, name, columns: [.fingerprint, .hashSum])
    }

    /// What a kind is called of which a repair has found the records and not the name: whoever knows it finds them.
    package static func nameless(_ tree: TreeNumber) -> String { "tree \(tree.rawValue)" }
}

extension TreeDeclaration {
    /// Whether the tree is that of a kind.
    func holds(_ kind: String) -> Bool { name == kind || name == KindTree.nameless(number) }
}

extension TreeReadable where Self: ~Copyable {
    /// The tree of a kind whose type may not be known; `nil` when the library has none.
    package func kindTree(_ kind: String) -> TreeNumber? {
        let number = KindTree.number(of: kind)
        return declaration(of: number)?.holds(kind) == true ? number : nil
    }

    /// - Throws: `LibraryError.schemaMismatch` when the library has another kind whose name gives the same number, or is the same for people.
    func checkName(ofKind kind: String) throws(LibraryError) {
        guard let tree = declaration(of: KindTree.number(of: kind)) else {
            guard declarations.contains(where: { $0.name == kind && !$0.name.hasSameBytes(as: kind) }) else { return }
            throw .schemaMismatch(
                "The library has a kind “\(kind)” whose name is written with other bytes, as accents may be: a letter and its mark, or one sign for "
                    + "both. Give the type the same recordName, byte for byte.")
        }
        guard !tree.holds(kind) else { return }
        throw .schemaMismatch(
            "The names “\(kind)” and “\(tree.name)” come to the same number, \(tree.number.rawValue), by which a library finds the records of a "
                + "kind. Give the type of “\(kind)” another recordName, such as “\(kind)s”.")
    }

    func recordBytes(_ id: UInt64, ofKind kind: String) throws(LibraryError) -> [UInt8]? {
        try kindTree(kind).flatMap { (tree) throws(LibraryError) in try recordBytes(id, in: tree) }
    }

    /// - Parameter tree: that of the record's kind.
    package func recordBytes(_ id: UInt64, in tree: TreeNumber) throws(LibraryError) -> [UInt8]? {
        try translatingErrors { try bytes(forKey: id, in: tree) }
    }

    /// The records of a kind, by identifier, from behind one on, until `body` throws; it may read the trees.
    package func forEachRecord(
        ofKind kind: String, after first: UInt64? = nil,
        _ body: (_ id: UInt64, _ bytes: [UInt8]) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        guard let tree = kindTree(kind) else { return }
        var failure: LibraryError?
        try translatingErrors {
            try scan(tree, prefix: [], after: first.map { .bigEndian($0) }) { key, value in
                guard key.byteCount == 8 else { return true }
                do throws(LibraryError) {
                    try body(key.trailingIdentifier, value.copyBytes(0..<value.byteCount))
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if let failure { throw failure }
    }
}

extension [TreeDeclaration] {
    /// The trees of the kinds of records that an app declares, by the names of the kinds.
    package var kinds: [TreeDeclaration] {
        filter { $0.number >= LibraryTree.firstKind }.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
    }
}
