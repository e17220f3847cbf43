/// What entries with keys of one length have in common, byte by byte: how a packed page of them is laid out.
struct PackedShape {
    let keyByteCount: Int
    /// Of each value, while all have one length.
    private(set) var valueByteCount: Int?
    /// Bytes of all values together, and of their codes; `nil` without symbols.
    private var valuesByteCount: Int
    private var codesByteCount: Int?
    /// Key and value of the first entry.
    private let first: [UInt8]
    /// All bits of a byte in which entries differ.
    private var differing: [UInt8]
    /// Bytes in which keys differ, and values.
    private var ownKeyByteCount = 0
    private var ownValueByteCount = 0

    /// Of one entry, whose key and value lie side by side; `nil` where such are not packed.
    ///
    /// - Parameter codesByteCount: of its value; `nil` without symbols.
    init?(_ entry: RawSpan, keyByteCount: Int, codesByteCount: Int?) {
        guard PackedArrays.byteCounts.contains(keyByteCount) else { return nil }
        self.keyByteCount = keyByteCount
        self.codesByteCount = codesByteCount
        valuesByteCount = entry.byteCount - keyByteCount
        let isShort = PackedArrays.byteCounts.contains(entry.byteCount)
        valueByteCount = isShort ? valuesByteCount : nil
        first = entry.copyBytes(0..<(isShort ? entry.byteCount : keyByteCount))
        differing = [UInt8](repeating: 0, count: first.count)
    }

    /// The shape with one entry more; `nil` where its key has another length.
    func with(_ entry: RawSpan, keyByteCount: Int, codesByteCount: Int?) -> PackedShape? {
        guard self.keyByteCount == keyByteCount else { return nil }
        var shape = self
        let count = entry.byteCount - keyByteCount
        shape.valuesByteCount += count
        if let codes = self.codesByteCount, let codesByteCount { shape.codesByteCount = codes + codesByteCount }
        if valueByteCount != count { shape.valueByteCount = nil }
        let packed = entry.extracting(0..<keyByteCount + (shape.valueByteCount ?? 0))
        if !covers(packed) { shape.spread(to: packed) }
        return shape
    }

    private mutating func spread(to entry: RawSpan) {
        for place in 0..<entry.byteCount where differing[place] == 0 && entry.byte(at: place) != first[place] {
            differing[place] = 0xFF
            if place < keyByteCount { ownKeyByteCount += 1 } else { ownValueByteCount += 1 }
        }
    }

    /// Whether an entry differs from the others only where these do. Eight bytes at a time: most entries do.
    private func covers(_ entry: RawSpan) -> Bool {
        first.withBytes { first in
            differing.withBytes { differing in
                func isCovered(_ start: Int) -> Bool {
                    let difference =
                        entry.loadLittleEndian(at: start, as: UInt64.self)
                        ^ first.loadLittleEndian(at: start, as: UInt64.self)
                    return difference & ~differing.loadLittleEndian(at: start, as: UInt64.self) == 0
                }
                guard entry.byteCount >= 8 else { return false }
                var start = 0
                while start + 8 <= entry.byteCount {
                    guard isCovered(start) else { return false }
                    start += 8
                }
                return isCovered(entry.byteCount - 8)
            }
        }
    }

    // MARK: Pages

    /// How values lie in a page.
    enum ValueForm {
        /// As they are, behind the entries.
        case plain
        /// So, in symbols.
        case coded
        /// As keys do, in the entries.
        case packed
    }

    /// What a page of so many entries fills, and the form of the values that makes it the least; `nil` where they do not fit a page.
    func page(_ count: Int, facetCount: Int) -> (byteCount: Int, values: ValueForm)? {
        var page: (byteCount: Int, values: ValueForm)?
        func consider(_ values: ValueForm, _ arrays: PackedArrays, _ byteCount: Int) {
            let isLess = page.map { arrays.end + byteCount < $0.byteCount } ?? true
            let end = arrays.end + max(byteCount, PackedArrays.overrunByteCount)
            if isLess, end <= NodeLayout.pageByteCount { page = (arrays.end + byteCount, values) }
        }
        if valueByteCount != nil { consider(.packed, arrays(count, facetCount: facetCount, packsValues: true), 0) }
        let behind = arrays(count, facetCount: facetCount, packsValues: false)
        consider(.plain, behind, valuesByteCount)
        if let codesByteCount { consider(.coded, behind, codesByteCount) }
        return page
    }

    private func arrays(_ count: Int, facetCount: Int, packsValues: Bool) -> PackedArrays {
        PackedArrays(
            count: count, facetCount: facetCount, keyByteCount: keyByteCount,
            valueByteCount: packsValues ? valueByteCount : nil,
            ownByteCount: ownKeyByteCount + (packsValues ? ownValueByteCount : 0))
    }

    /// An entry to be laid out, whose key and value lie side by side.
    struct Piece {
        let offset: Int
        let valueByteCount: Int
        /// Where the codes of its value lie; empty without symbols.
        let codes: Range<Int>
        let facets: UInt16
    }

    /// Lays out a page of entries, which lie among `bytes`, and the codes of their values among `codes`.
    ///
    /// Where its symbols lie the page says once it has its number.
    func write(
        _ entries: [Piece], _ bytes: RawSpan, _ codes: RawSpan, _ values: ValueForm, of tree: TreeDeclaration,
        into page: inout PageWriter
    ) {
        let arrays = arrays(entries.count, facetCount: tree.facetCount, packsValues: values == .packed)
        page.begin(
            kind: NodeLayout.packedLeaf, tree, count: entries.count, level: 0,
            arraysByteCount: arrays.places.end - NodeLayout.headerByteCount)
        let places = (0..<arrays.byteCount).filter { differing[$0] != 0 }
        page.store(UInt16(keyByteCount), in: PackedField.keyByteCount)
        page.store(
            arrays.valueByteCount.map { UInt16($0) } ?? PackedField.ofSeveralLengths, in: PackedField.valueByteCount)
        page.store(UInt16(arrays.ownByteCount), in: PackedField.ownByteCount)
        page.store(UInt16(ownKeyByteCount), in: PackedField.ownKeyByteCount)
        FacetBits.store(entries.map(\.facets), of: tree, at: PackedField.end, in: &page)
        for place in 0..<arrays.byteCount where differing[place] == 0 {
            page.store(first[place], in: arrays.shared[place])
        }
        for (number, place) in places.enumerated() { page.store(UInt8(place), in: arrays.places[number]) }
        for entry in entries {
            for place in places { page.append(byte: bytes.byte(at: entry.offset + place)) }
        }
        guard values != .packed else { return }
        for (index, entry) in entries.enumerated() {
            let start = entry.offset + keyByteCount
            page.append(
                values == .coded
                    ? codes.extracting(entry.codes) : bytes.extracting(start..<start + entry.valueByteCount))
            page.store(UInt16(page.used), in: arrays.ends[index])
        }
    }
}
