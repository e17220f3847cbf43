/// Chooses symbols for values like those of a sample.
///
/// Beginning with none, each round writes the sample as the symbols of the round before, counts which of them were used and which followed
/// which, and keeps the 255 strings, symbols and pairs of such, that gain the most. After the same paper as `SymbolTable`, but for what a
/// string gains: the paper multiplies its length by how often it was met. Here that decides in the first rounds, where nearly all are pairs of
/// bytes; in the last ones the codes count that the other symbols would need in place of the string. Values come out 5 % shorter.
struct SymbolTraining {
    private static let firstRoundCount = 2
    private static let lastRoundCount = 4
    /// What is counted: symbols by their codes, and behind them bytes that have none.
    private static let pieceCount = 2 * SymbolField.codeCount

    private let sample: [[UInt8]]

    init(_ sample: [[UInt8]]) { self.sample = sample }

    /// `nil` when too little would come of it.
    func encoder() -> SymbolEncoder? {
        let count = sample.reduce(0) { $0 + $1.count }
        guard count > 0 else { return nil }
        var encoder = SymbolEncoder([])
        for _ in 0..<Self.firstRoundCount { encoder = best(lengthGains(encoder)) }
        for _ in 0..<Self.lastRoundCount { encoder = best(codeGains(encoder)) }
        return byteCount(encoder) * 8 <= count * 7 ? encoder : nil
    }

    /// What the sample comes to.
    private func byteCount(_ encoder: SymbolEncoder) -> Int {
        var codes: [UInt8] = []
        for value in sample { value.withBytes { encoder.encode($0, to: &codes) } }
        return codes.count
    }

    // MARK: Gains

    private typealias Symbol = SymbolEncoder.Symbol
    private typealias Gains = [Symbol: Int]

    private func best(_ gains: Gains) -> SymbolEncoder {
        let best = gains.sorted { left, right in
            left.value == right.value ? left.key.precedes(right.key) : left.value > right.value
        }
        return SymbolEncoder(best.prefix(SymbolField.codeCount - 1).map(\.key))
    }

    private func symbol(_ piece: Int, _ encoder: SymbolEncoder) -> Symbol {
        piece < SymbolField.codeCount ? encoder.symbols[piece] : Symbol(UInt8(piece - SymbolField.codeCount))
    }

    /// By the bytes that each string would have stood for.
    private func lengthGains(_ encoder: SymbolEncoder) -> Gains {
        let counts = count(encoder)
        var gains: Gains = [:]
        for (piece, count) in counts.pieces.enumerated() where count > 0 {
            let symbol = symbol(piece, encoder)
            // Numbers and identifiers have bytes that nothing longer begins with, and one without a symbol takes two.
            gains[symbol, default: 0] += count * (symbol.byteCount == 1 ? 4 : symbol.byteCount)
        }
        counts.forEachPair { first, second, count in
            let symbol = symbol(first, encoder).followed(by: symbol(second, encoder))
            gains[symbol, default: 0] += count * symbol.byteCount
        }
        return gains
    }

    /// By half the codes that the sample would need more.
    private func codeGains(_ encoder: SymbolEncoder) -> Gains {
        let counts = count(encoder)
        var gains: Gains = [:]
        for (piece, count) in counts.pieces.enumerated() where count > 0 {
            let isByte = piece >= SymbolField.codeCount
            gains[symbol(piece, encoder)] = count * 2 * (isByte ? 1 : encoder.codeCount(without: piece) - 1)
        }
        let known = Set(encoder.symbols)
        counts.forEachPair { first, second, count in
            let (left, right) = (symbol(first, encoder), symbol(second, encoder))
            let symbol = left.followed(by: right)
            guard !known.contains(symbol) else { return }
            // Of one that is cut, a part of the second stays to be written.
            let isCut = left.byteCount + right.byteCount > SymbolField.byteCounts.upperBound
            let codeCount = [first, second].reduce(0) { $0 + ($1 < SymbolField.codeCount ? 1 : 2) }
            gains[symbol, default: 0] += count * (isCut ? 1 : 2 * (codeCount - 1))
        }
        return gains
    }

    // MARK: Counts

    /// How often each piece was met, and each pair of neighbours.
    private struct Counts {
        var pieces = [Int](repeating: 0, count: pieceCount)
        var pairs = [Int](repeating: 0, count: pieceCount * pieceCount)
        /// Pairs that were met, each once.
        var met: [Int] = []

        /// One that is met once stands for nothing that comes again.
        func forEachPair(_ body: (_ first: Int, _ second: Int, _ count: Int) -> Void) {
            for pair in met where pairs[pair] > 1 { body(pair / pieceCount, pair % pieceCount, pairs[pair]) }
        }
    }

    private func count(_ encoder: SymbolEncoder) -> Counts {
        var counts = Counts()
        for value in sample {
            var previous = -1
            value.withBytes { value in
                encoder.forEachPiece(of: value) { code, byte in
                    let piece = code < 0 ? SymbolField.codeCount + Int(byte) : code
                    counts.pieces[piece] += 1
                    if previous >= 0 {
                        let pair = previous * Self.pieceCount + piece
                        if counts.pairs[pair] == 0 { counts.met.append(pair) }
                        counts.pairs[pair] += 1
                    }
                    previous = piece
                }
            }
        }
        return counts
    }
}
