/// Writes values as the codes of a tree's symbols: of those that a value goes on with, the longest each time.
struct SymbolEncoder {
    /// A short string.
    struct Symbol: Hashable {
        /// The first byte in the lowest, zeros behind the last.
        let bytes: UInt64
        let byteCount: Int

        init(_ byte: UInt8) { (bytes, byteCount) = (UInt64(byte), 1) }

        init(bytes: UInt64, byteCount: Int) { (self.bytes, self.byteCount) = (bytes, byteCount) }

        /// With as much of another one behind it as a symbol has room for.
        func followed(by other: Symbol) -> Symbol {
            Symbol(
                bytes: bytes | other.bytes << UInt64(8 * byteCount),
                byteCount: min(byteCount + other.byteCount, SymbolField.byteCounts.upperBound))
        }

        var firstByte: Int { Int(bytes & 0xFF) }
        var firstTwo: Int { Int(bytes & 0xFFFF) }
        var mask: UInt64 { .max >> UInt64(64 - 8 * byteCount) }

        /// Longer before shorter, then by their bytes: the same symbols always get the same codes.
        func precedes(_ other: Symbol) -> Bool {
            byteCount == other.byteCount ? bytes < other.bytes : byteCount > other.byteCount
        }
    }

    private struct Candidate {
        let symbol: UInt64
        let mask: UInt64
        let byteCount: Int
        let code: Int

        /// Whether it is what the next bytes begin with, of which there are so many.
        @inline(__always) func matches(_ next: UInt64, _ count: Int) -> Bool {
            next & mask == symbol && byteCount <= count
        }
    }

    /// By code.
    let symbols: [Symbol]
    /// Those of one byte by that; -1 for a byte that is none.
    private let codes: [Int]
    /// Those of several, by the first two and then the longest first.
    private let candidates: [Candidate]
    /// Where the candidates of each two bytes begin.
    private let starts: [UInt16]

    /// Precondition: there are as many codes, and no two symbols are the same.
    init(_ symbols: [Symbol]) {
        precondition(symbols.count < SymbolField.codeCount, "a symbol has a code")
        self.symbols = symbols
        var codes = [Int](repeating: -1, count: SymbolField.codeCount)
        for (code, symbol) in symbols.enumerated() where symbol.byteCount == 1 { codes[symbol.firstByte] = code }
        self.codes = codes
        let order = symbols.indices.filter { symbols[$0].byteCount > 1 }.sorted { left, right in
            let (left, right) = (symbols[left], symbols[right])
            return left.firstTwo == right.firstTwo ? left.precedes(right) : left.firstTwo < right.firstTwo
        }
        candidates = order.map { code in
            let symbol = symbols[code]
            return Candidate(symbol: symbol.bytes, mask: symbol.mask, byteCount: symbol.byteCount, code: code)
        }
        var starts: [UInt16] = []
        starts.reserveCapacity(1 << 16 + 1)
        for (index, code) in order.enumerated() {
            // Two bytes that nothing begins with, too, begin where the next do.
            let missing = symbols[code].firstTwo + 1 - starts.count
            if missing > 0 { starts += repeatElement(UInt16(index), count: missing) }
        }
        starts += repeatElement(UInt16(order.count), count: 1 << 16 + 1 - starts.count)
        self.starts = starts
    }

    /// Appends the codes of a value.
    func encode(_ value: RawSpan, to codes: inout [UInt8]) {
        forEachPiece(of: value) { code, byte in
            codes.append(code < 0 ? SymbolField.escape : UInt8(code))
            if code < 0 { codes.append(byte) }
        }
    }

    /// The fewest codes, escapes counted, that the other symbols need for what one of them stands for.
    func codeCount(without code: Int) -> Int {
        let symbol = symbols[code]
        // Of what follows each byte.
        var counts = [Int](repeating: 0, count: symbol.byteCount + 1)
        for start in (0..<symbol.byteCount).reversed() {
            let next = symbol.bytes >> UInt64(8 * start)
            let single = codes[Int(next & 0xFF)]
            counts[start] = counts[start + 1] + (single < 0 || single == code ? 2 : 1)
            for index in candidates(of: next) {
                let candidate = candidates[index]
                guard candidate.code != code, candidate.matches(next, symbol.byteCount - start) else { continue }
                counts[start] = min(counts[start], counts[start + candidate.byteCount] + 1)
            }
        }
        return counts[0]
    }

    /// Those that begin with the same two bytes.
    private func candidates(of next: UInt64) -> Range<Int> {
        let two = Int(next & 0xFFFF)
        return Int(starts[two])..<Int(starts[two + 1])
    }

    /// Visits what a value is made of: a symbol each time, by its code, or -1 and a byte that none begins with.
    @inline(__always)
    func forEachPiece(of value: RawSpan, _ body: (_ code: Int, _ byte: UInt8) -> Void) {
        var start = 0
        while start < value.byteCount {
            let next = value.eightBytes(at: start)
            let rest = value.byteCount - start
            var code = codes[Int(next & 0xFF)]
            var byteCount = 1
            let found = candidates(of: next)
            var index = found.lowerBound
            while index < found.upperBound {
                let candidate = candidates[index]
                if candidate.matches(next, rest) {
                    (code, byteCount) = (candidate.code, candidate.byteCount)
                    break
                }
                index += 1
            }
            body(code, UInt8(truncatingIfNeeded: next))
            start += byteCount
        }
    }
}

extension RawSpan {
    /// The bytes from an offset on as a little-endian number, with zeros behind the last. Precondition: there is one.
    @inline(__always)
    fileprivate func eightBytes(at offset: Int) -> UInt64 {
        if byteCount - offset >= 8 { return loadLittleEndian(at: offset, as: UInt64.self) }
        if byteCount >= 8 {
            return loadLittleEndian(at: byteCount - 8, as: UInt64.self) >> UInt64(8 * (8 - byteCount + offset))
        }
        var bytes: UInt64 = 0
        for index in (offset..<byteCount).reversed() { bytes = bytes << 8 | UInt64(byte(at: index)) }
        return bytes
    }
}

/// A page of symbols.
extension SymbolEncoder {
    /// Those of a page. Precondition: it was found to be one of symbols.
    init(ofPage page: RawSpan) {
        self.init(
            (0..<Int(page.load(NodeField.count))).map { code in
                Symbol(
                    bytes: page.load(SymbolField.symbols[code]),
                    byteCount: Int(page.load(SymbolField.lengths[code])))
            })
    }

    /// - Parameter entryCount: of the tree.
    func write(for tree: TreeDeclaration, entryCount: UInt64, into page: inout PageWriter) {
        page.begin(
            kind: NodeLayout.symbols, TreeDeclaration(tree.number, tree.name), count: symbols.count, level: 0,
            arraysByteCount: SymbolField.end - NodeLayout.headerByteCount)
        page.store(entryCount, in: SymbolField.chosenFor)
        for (code, symbol) in symbols.enumerated() {
            page.store(symbol.bytes, in: SymbolField.symbols[code])
            page.store(UInt8(symbol.byteCount), in: SymbolField.lengths[code])
        }
        _ = page.finish()
    }
}
