/// Decides whether 4,096 bytes from a file may be read as a page of symbols.
enum SymbolValidation {
    /// What is wrong with the page, or `nil` when nothing is: as one of this tree, proved by its seal.
    static func finding(in page: RawSpan, _ seal: PageSeal, number: Int, of tree: TreeNumber) -> String? {
        if let finding = PageValidation.sealFinding(in: page, seal, number: number) { return finding }
        let named = page.load(NodeField.tree)
        guard named == tree.rawValue else { return "the page is of tree \(named)" }
        return layoutFinding(in: page)
    }

    /// The layout alone. Reads nothing outside `page`, whatever it holds.
    static func layoutFinding(in page: RawSpan) -> String? {
        guard page.byteCount == NodeLayout.pageByteCount else { return "\(page.byteCount) bytes are no page" }
        let kind = page.load(NodeField.kind)
        guard kind == NodeLayout.symbols else { return "kind \(kind) is no page of symbols" }
        let count = Int(page.load(NodeField.count))
        guard count > 0, count < SymbolField.codeCount, page.load(NodeField.capacity) == count else {
            return "\(count) symbols are not what a page has"
        }
        guard page.load(NodeField.used) == SymbolField.end else {
            return "\(page.load(NodeField.used)) bytes in use are not those of a page of symbols"
        }
        guard
            [NodeField.facetCount, NodeField.level, NodeField.columnCount].allSatisfy({ page.load($0) == 0 }),
            [NodeField.prefixLength, NodeField.prefixOffset].allSatisfy({ page.load($0) == 0 }),
            page.load(NodeField.reserved) == 0
        else { return "a page of symbols has a field of a page of entries" }
        for code in 0..<SymbolField.codeCount {
            let length = Int(page.load(SymbolField.lengths[code]))
            guard code < count ? SymbolField.byteCounts.contains(length) : length == 0 else {
                return "symbol \(code) has \(length) bytes"
            }
            let symbol = page.load(SymbolField.symbols[code])
            guard length == SymbolField.byteCounts.upperBound || symbol >> UInt64(8 * length) == 0 else {
                return "symbol \(code) is longer than it says"
            }
        }
        return nil
    }
}
