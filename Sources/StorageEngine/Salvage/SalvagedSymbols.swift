/// What the values of a damaged snapshot's trees are written in: the page that a leaf names, or its copy, each proved by its seal.
struct SalvagedSymbols: Sendable {
    private let file: SalvageFile
    private let seal: PageSeal
    private let pageCount: Int
    /// By tree; `nil` where neither page can be proved.
    private var pages: [TreeNumber: [UInt8]?] = [:]

    /// - Parameter pageCount: before the cold region; of the whole file, where that is not known.
    init(_ file: SalvageFile, _ seal: PageSeal, pageCount: Int) {
        (self.file, self.seal, self.pageCount) = (file, seal, pageCount)
    }

    /// The page of a tree's symbols.
    ///
    /// - Parameter number: where a leaf of the tree, or the catalogue, says that they lie.
    mutating func page(_ number: Int, of tree: TreeNumber) throws(StorageError) -> [UInt8]? {
        if let page = pages[tree] { return page }
        var found = try provedPage(number, of: tree)
        // Copies are the last pages, but where those end is not known of every file.
        var other = min(pageCount, file.byteCount / NodeLayout.pageByteCount)
        while found == nil, other > 1 {
            other -= 1
            found = try provedPage(other, of: tree)
        }
        pages[tree] = .some(found)
        return found
    }

    /// `nil` when the page is not proved to hold symbols of the tree.
    private func provedPage(_ number: Int, of tree: TreeNumber) throws(StorageError) -> [UInt8]? {
        guard let bytes = try file.page(number), finding(in: bytes, number, of: tree) == nil else { return nil }
        return bytes
    }

    /// What is wrong with a page as one of the tree's symbols.
    func finding(_ number: Int, of tree: TreeNumber) throws(StorageError) -> String? {
        guard let bytes = try file.page(number) else { return "the page cannot be read" }
        return finding(in: bytes, number, of: tree)
    }

    private func finding(in bytes: [UInt8], _ number: Int, of tree: TreeNumber) -> String? {
        // Of all pages of a file few are of symbols, and a seal is a checksum.
        guard bytes.load(NodeField.kind) == NodeLayout.symbols else {
            return bytes.withBytes { SymbolValidation.layoutFinding(in: $0) }
        }
        return bytes.withBytes { SymbolValidation.finding(in: $0, seal, number: number, of: tree) }
    }
}
