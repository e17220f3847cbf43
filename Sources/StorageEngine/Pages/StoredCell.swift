/// Where the value of an entry lies in a leaf page with slots, as its value word says: for those who look at a page's bytes.
struct StoredCell {
    private let word: UInt16
    /// All that lies behind the key, within the page if that is sound.
    let range: Range<Int>

    /// - Parameter offset: where in the page the entry begins.
    init(ofEntryAt offset: Int, keyByteCount: Int, in page: RawSpan) {
        word = page.load(NodeLayout.valueWord, at: offset)
        let start = offset + NodeLayout.wordByteCount + keyByteCount
        let byteCount =
            word & 0x8000 != 0
            ? NodeLayout.referenceByteCount
            : Int(word & ~NodeLayout.sharedEnd) + (word >= NodeLayout.sharedEnd ? SharedEndField.end : 0)
        range = start..<start + byteCount
    }

    var isHot: Bool { word & 0x8000 == 0 }
    var isCold: Bool { word == NodeLayout.coldValue }
    private var sharesEnd: Bool { isHot && word & NodeLayout.sharedEnd != 0 }

    /// What the value has of its own: all of it, but where it shares its end. Precondition: it is hot.
    var own: Range<Int> { sharesEnd ? range.lowerBound..<range.upperBound - SharedEndField.end : range }

    /// A whole value. Precondition: it is hot, and lies within the page.
    func value(in page: RawSpan) -> [UInt8] {
        page.copyBytes(own) + (sharedEnd(in: page).map { page.copyBytes($0) } ?? [])
    }

    /// Where the end of a value lies that it shares; `nil` where it has all of it. Precondition: the cell lies within the page.
    func sharedEnd(in page: RawSpan) -> Range<Int>? {
        guard sharesEnd else { return nil }
        let start = Int(page.load(SharedEndField.offset, at: own.upperBound))
        return start..<start + Int(page.load(SharedEndField.count, at: own.upperBound))
    }
}
