/// What entries with keys of one length have in common, byte by byte: how a packed page of them is laid out.
struct PackedShape {
    /// By what a page is measured.
    struct Sizes {
        let keyByteCount: Int
        /// Of each value, while all have one length.
        fileprivate(set) var valueByteCount: Int?
        /// Bytes of all values together, and of their codes; `nil` without symbols, or where one value cannot be written in them.
        fileprivate var valuesByteCount: Int
        fileprivate var codesByteCount: Int?
        /// Bytes in which keys differ, and values.
        fileprivate var ownKeyByteCount = 0
        fileprivate var ownValueByteCount = 0
    }

    private(set) var sizes: Sizes
    /// Key and value of the first entry.
    private let first: [UInt8]
    /// All bits of a byte in which entries differ.
    private var differing: [UInt8]

    /// Of one entry, whose key and value lie side by side; `nil` where such are not packed.
    ///
    /// - Parameter codesByteCount: of its value; `nil` without symbols, or where it cannot be written in them.
    init?(_ entry: RawSpan, keyByteCount: Int, codesByteCount: Int?) {
        guard PackedArrays.byteCounts.contains(keyByteCount) else { return nil }
        let isShort = PackedArrays.byteCounts.contains(entry.byteCount)
        let valueByteCount = entry.byteCount - keyByteCount
        sizes = Sizes(
            keyByteCount: keyByteCount, valueByteCount: isShort ? valueByteCount : nil, valuesByteCount: valueByteCount,
            codesByteCount: codesByteCount)
        first = entry.copyBytes(0..<(isShort ? entry.byteCount : keyByteCount))
        differing = [UInt8](repeating: 0, count: first.count)
    }

    /// What it would come to with one entry more; `nil` where its key has another length.
    func sizes(with entry: RawSpan, keyByteCount: Int, codesByteCount: Int?) -> Sizes? {
        guard sizes.keyByteCount == keyByteCount else { return nil }
        var sizes = sizes
        let count = entry.byteCount - keyByteCount
        sizes.valuesByteCount += count
        if let codes = sizes.codesByteCount { sizes.codesByteCount = codesByteCount.map { codes + $0 } }
        if sizes.valueByteCount != count { sizes.valueByteCount = nil }
        let packed = entry.extracting(0..<keyByteCount + (sizes.valueByteCount ?? 0))
        if !covers(packed) {
            for place in 0..<packed.byteCount where isNew(place, in: packed) {
                if place < keyByteCount { sizes.ownKeyByteCount += 1 } else { sizes.ownValueByteCount += 1 }
            }
        }
        return sizes
    }

    /// Takes the entry that the sizes are those with.
    mutating func add(_ entry: RawSpan, _ sizes: Sizes) {
        let isSpreading =
            sizes.ownKeyByteCount != self.sizes.ownKeyByteCount
            || sizes.ownValueByteCount != self.sizes.ownValueByteCount
        self.sizes = sizes
        guard isSpreading else { return }
        for place in 0..<sizes.keyByteCount + (sizes.valueByteCount ?? 0) where isNew(place, in: entry) {
            differing[place] = 0xFF
        }
    }

    /// Whether an entry is the first that differs in a byte.
    private func isNew(_ place: Int, in entry: RawSpan) -> Bool {
        differing[place] == 0 && entry.byte(at: place) != first[place]
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
        let arrays = sizes.arrays(entries.count, facetCount: tree.facetCount, packsValues: values == .packed)
        page.begin(
            kind: NodeLayout.packedLeaf, tree, count: entries.count, level: 0,
            arraysByteCount: arrays.places.end - NodeLayout.headerByteCount)
        let places = (0..<arrays.byteCount).filter { differing[$0] != 0 }
        page.store(UInt16(sizes.keyByteCount), in: PackedField.keyByteCount)
        page.store(
            arrays.valueByteCount.map { UInt16($0) } ?? PackedField.ofSeveralLengths, in: PackedField.valueByteCount)
        page.store(UInt16(arrays.ownByteCount), in: PackedField.ownByteCount)
        page.store(UInt16(sizes.ownKeyByteCount), in: PackedField.ownKeyByteCount)
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
            let start = entry.offset + sizes.keyByteCount
            page.append(
                values == .coded
                    ? codes.extracting(entry.codes) : bytes.extracting(start..<start + entry.valueByteCount))
            page.store(UInt16(page.used), in: arrays.ends[index])
        }
    }
}

extension PackedShape.Sizes {
    /// What a page of so many entries fills, and the form of the values that makes it the least; `nil` where they do not fit a page.
    func page(_ count: Int, facetCount: Int) -> (byteCount: Int, values: PackedShape.ValueForm)? {
        var page: (byteCount: Int, values: PackedShape.ValueForm)?
        func consider(_ values: PackedShape.ValueForm, _ arrays: PackedArrays, _ byteCount: Int) {
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

    fileprivate func arrays(_ count: Int, facetCount: Int, packsValues: Bool) -> PackedArrays {
        PackedArrays(
            count: count, facetCount: facetCount, keyByteCount: keyByteCount,
            valueByteCount: packsValues ? valueByteCount : nil,
            ownByteCount: ownKeyByteCount + (packsValues ? ownValueByteCount : 0))
    }
}
