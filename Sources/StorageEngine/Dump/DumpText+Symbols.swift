extension DumpText {
    /// A page of symbols: its header, then each symbol with its code.
    mutating func symbols(_ number: Int, _ piece: DumpedBytes, _ superblock: Superblock?) {
        title("page \(number) at \(piece.byteOffset)")
        if let superblock, !superblock.namesSymbols(on: number) { misfit("nothing leads to this page") }
        pageHeader(piece, superblock)
        if let finding = piece.withSpan({ SymbolValidation.layoutFinding(in: $0) }) {
            misfit(finding)
            return rows(piece, from: NodeLayout.headerByteCount)
        }
        self.number(piece, SymbolField.chosenFor, "entries that they were chosen for")
        for code in 0..<piece.checked(NodeField.count) {
            let length = Int(piece.number(SymbolField.lengths[code]) ?? 0)
            let place = SymbolField.symbols[code]
            let symbol = piece.slice(place.offset..<place.offset + length)
            field(piece, place.offset, place.byteCount, "symbol \(code): \(Self.words(symbol))")
        }
        array(piece, SymbolField.lengths, "lengths")
        end(
            of: piece, used: piece.checked(NodeField.used),
            trailerByteCount: Int(superblock?.pageTrailerByteCount ?? 0))
    }
}

extension Superblock {
    /// Whether the catalogue leads to a page as one of symbols, or as a copy of such.
    fileprivate func namesSymbols(on page: Int) -> Bool {
        trees.contains { tree in
            symbols(of: tree.declaration.number).map { [Int($0.page), Int($0.copy)].contains(page) } ?? false
        }
    }
}
