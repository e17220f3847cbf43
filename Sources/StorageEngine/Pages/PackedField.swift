/// The fields of a packed page behind those that all pages have. `Formats/SNAPSHOT.md` draws them.
enum PackedField {
    /// Bytes of each key.
    static let keyByteCount = Field<UInt16>("keyByteCount", at: 32)
    /// Bytes of each value; `ofSeveralLengths` where the page has an array of where they end.
    static let valueByteCount = Field<UInt16>("valueByteCount", at: 34)
    /// Bytes that an entry has of its own, and how many of them are its key's.
    static let ownByteCount = Field<UInt16>("ownByteCount", at: 36)
    static let ownKeyByteCount = Field<UInt16>("ownKeyByteCount", at: 38)

    /// Where the symbols lie that values are written in; 0 where they are as they are.
    static let symbolsPage = Field<UInt32>("symbolsPage", at: 40)
    /// 0.
    static let reserved = Field<UInt32>("reserved", at: 44)

    static var all: FieldTable {
        FieldTable(keyByteCount, valueByteCount, ownByteCount, ownKeyByteCount, symbolsPage, reserved)
    }

    static let end = 48
    static let ofSeveralLengths: UInt16 = 0xFFFF
}

/// The arrays of a packed page. `Formats/SNAPSHOT.md` lists them.
struct PackedArrays {
    let count: Int
    let facetCount: Int
    let keyByteCount: Int
    /// `nil` where values have several lengths.
    let valueByteCount: Int?
    /// Bytes that an entry has of its own.
    let ownByteCount: Int

    /// What entries are packed of: key and value side by side, or keys alone.
    @inline(__always) var byteCount: Int { keyByteCount + (valueByteCount ?? 0) }

    /// A bit for each entry that belongs to a facet.
    @inline(__always) func facet(_ facet: Int) -> FieldArray<UInt64> {
        FacetBits.array(facet, count: count, at: PackedField.end)
    }

    /// Of values of several lengths: where in the page each ends, the next beginning there.
    @inline(__always) var ends: FieldArray<UInt16> {
        FieldArray("ends", at: facet(facetCount).offset, count: valueByteCount == nil ? count : 0)
    }

    /// A key, and a value where they have one length, with what all entries share, and zeros where they do not.
    @inline(__always) var shared: FieldArray<UInt8> { FieldArray("shared", at: ends.end, count: byteCount) }

    /// Where in it an entry's own bytes belong.
    @inline(__always) var places: FieldArray<UInt8> { FieldArray("places", at: shared.end, count: ownByteCount) }

    /// The own bytes of each entry in turn.
    @inline(__always) func entry(_ index: Int) -> Int { places.end + index * ownByteCount }

    /// Behind the own bytes of all; where values have several lengths, the first begins here.
    @inline(__always) var end: Int { entry(count) }

    /// Behind the own bytes, so that eight bytes can be read of the last entry, too.
    static let overrunByteCount = 8

    /// What is packed has so many bytes: places are bytes, and what is longer is better read in place.
    static let byteCounts = 1...128
}

extension PackedArrays {
    /// Those that a page's fields tell of, whatever they say.
    init(of page: RawSpan) {
        let valueByteCount = page.load(PackedField.valueByteCount)
        self.init(
            count: Int(page.load(NodeField.count)), facetCount: Int(page.load(NodeField.facetCount)),
            keyByteCount: Int(page.load(PackedField.keyByteCount)),
            valueByteCount: valueByteCount == PackedField.ofSeveralLengths ? nil : Int(valueByteCount),
            ownByteCount: Int(page.load(PackedField.ownByteCount)))
    }
}
