#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A leaf page whose keys have one length: the bytes that all share are there once, and of each entry those in which some differ. Values of one
/// length are packed with the keys; others lie one behind the other.
///
/// An identifier in a page of neighbours differs in two bytes of eight, a number of thirteen digits in three. So an entry of an index takes 5 to 12
/// bytes where a leaf with slots needs 20 to 45, and a record 8 to 14 less; and because the own bytes of a key are in the order of the key, a
/// search compares them as they lie, all in a line or two of memory.
///
/// Safe because a `Node` is, and because the page was validated as one of this kind (`PackedValidation`).
@safe struct PackedPage {
    let node: Node

    @inline(__always) init(_ node: Node) { self.node = node }

    @inline(__always) var keyByteCount: Int { Int(node.load(PackedField.keyByteCount)) }
    @inline(__always) private var ownKeyByteCount: Int { Int(node.load(PackedField.ownKeyByteCount)) }

    @inline(__always) var facetBits: FacetBits { FacetBits(node, at: PackedField.end) }

    @inline(__always) var arrays: PackedArrays {
        let valueByteCount = node.load(PackedField.valueByteCount)
        return PackedArrays(
            count: node.count, facetCount: node.facetCount, keyByteCount: keyByteCount,
            valueByteCount: valueByteCount == PackedField.ofSeveralLengths ? nil : Int(valueByteCount),
            ownByteCount: Int(node.load(PackedField.ownByteCount)))
    }

    // MARK: Entries

    /// Puts an entry's key together.
    func withKey<Result, Failure>(
        _ index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try with(index, arrays, 0..<keyByteCount, own: 0..<ownKeyByteCount, body)
    }

    /// An entry's value: where it lies, or put together. Precondition: the page is one of a file, or its values are not written in symbols.
    @inline(__always)
    func withValue<Result, Failure>(
        _ index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let arrays = arrays
        guard arrays.valueByteCount == nil else {
            let range = arrays.keyByteCount..<arrays.byteCount
            return try with(index, arrays, range, own: ownKeyByteCount..<arrays.ownByteCount, body)
        }
        let stored = unsafe storedValue(index, arrays)
        guard symbolsPage > 0 else { return try body(unsafe stored.bytes) }
        return try unsafe symbols.withValue(of: stored, body)
    }

    /// The values of neighbours, until `body` returns false, which is given back. Precondition: as of `withValue`.
    ///
    /// What is the same for all of them is looked at once: half of the time of a value that is read alone.
    func forEachValue<Failure>(
        _ indices: Range<Int>, _ body: (_ index: Int, _ value: RawSpan) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        let arrays = arrays
        guard arrays.valueByteCount == nil, symbolsPage > 0 else {
            for index in indices {
                guard try withValue(index, { (value) throws(Failure) in try body(index, value) }) else { return false }
            }
            return true
        }
        let symbols = symbols
        return try unsafe withUnsafeTemporaryAllocation(byteCount: SymbolTable.roomByteCount, alignment: 8) {
            (room) throws(Failure) in
            for index in indices {
                let value = unsafe symbols.value(of: storedValue(index, arrays), in: room.baseAddress!)
                guard try body(index, unsafe value.bytes) else { return false }
            }
            return true
        }
    }

    /// An entry's value as the page has it: of one written in symbols, their codes.
    func storedValue(_ index: Int) -> [UInt8] {
        let arrays = arrays
        guard arrays.valueByteCount == nil else { return withValue(index) { $0.copyBytes() } }
        return unsafe [UInt8](storedValue(index, arrays))
    }

    /// Precondition: values have several lengths.
    @inline(__always) private func storedValue(_ index: Int, _ arrays: PackedArrays) -> UnsafeRawBufferPointer {
        let (start, end) = (index == 0 ? arrays.end : end(index - 1, arrays), end(index, arrays))
        return unsafe UnsafeRawBufferPointer(start: node.address + start, count: end - start)
    }

    // MARK: Symbols

    @inline(__always) var symbolsPage: Int { Int(node.load(PackedField.symbolsPage)) }

    /// Those that values are written in. Precondition: the page is one of a file, and has some.
    ///
    /// Safe because a page is read only where it is the page of its file that it says, and where that of its symbols is one of the same file
    /// (`PageSource`); a file's pages lie in memory as they do in the file.
    @inline(__always) private var symbols: SymbolTable {
        unsafe SymbolTable(node.address + (symbolsPage - Int(node.pageNumber)) * NodeLayout.pageByteCount)
    }

    /// Where a value of one of several lengths ends.
    @inline(__always) private func end(_ index: Int, _ arrays: PackedArrays) -> Int {
        Int(node.load(arrays.ends[index]))
    }

    /// Bytes of all keys and values. Values in symbols are counted code by code, a microsecond or two; others are told at once. Precondition: the
    /// same as of `withValue`.
    var sizes: (keyByteCount: Int, valueByteCount: Int) {
        let arrays = arrays
        let keysByteCount = arrays.count * keyByteCount
        if symbolsPage > 0 {
            let symbols = symbols
            return (
                keysByteCount,
                (0..<arrays.count).reduce(0) { unsafe $0 + symbols.byteCount(of: storedValue($1, arrays)) }
            )
        }
        let valuesByteCount =
            arrays.valueByteCount.map { arrays.count * $0 } ?? end(arrays.count - 1, arrays) - arrays.end
        return (keysByteCount, valuesByteCount)
    }

    /// - Parameters:
    ///   - range: of what is packed.
    ///   - own: the entry's own bytes that belong there.
    @inline(__always)
    private func with<Result, Failure>(
        _ index: Int, _ arrays: PackedArrays, _ range: Range<Int>, own: Range<Int>,
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        assert(index >= 0 && index < node.count, "an entry in use")
        let shared = unsafe node.address + arrays.shared.offset + range.lowerBound
        // Nothing is copied where there is nothing of the entry's own.
        guard !own.isEmpty else {
            return try body(unsafe UnsafeRawBufferPointer(start: shared, count: range.count).bytes)
        }
        let places = unsafe node.address + arrays.places.offset
        let entry = unsafe node.address + arrays.entry(index)
        return try unsafe withUnsafeTemporaryAllocation(byteCount: range.count, alignment: 8) {
            (bytes) throws(Failure) in
            // Safe because the places of these own bytes lie within the range.
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: shared, count: range.count))
            for number in own {
                let place = unsafe Int(places.load(fromByteOffset: number, as: UInt8.self)) - range.lowerBound
                unsafe bytes.storeBytes(
                    of: entry.load(fromByteOffset: number, as: UInt8.self), toByteOffset: place, as: UInt8.self)
            }
            return try body(unsafe UnsafeRawBufferPointer(bytes).bytes)
        }
    }

    // MARK: Searching

    /// Where a key stands among the entries.
    func place(of key: RawSpan) -> BasePlace {
        let arrays = arrays
        return unsafe key.withUnsafeBytes { key in
            unsafe ownKeyByteCount <= 8 ? shortPlace(of: key, arrays) : longPlace(of: key, arrays)
        }
    }

    /// The same where a key's own bytes are one number.
    private func shortPlace(of key: UnsafeRawBufferPointer, _ arrays: PackedArrays) -> BasePlace {
        var wanted: UInt64 = 0
        let (count, order) = unsafe forEachOwnByte(of: key, arrays) { wanted = wanted &<< 8 | UInt64($1) }
        guard count > 0 else {
            return BasePlace(index: order > 0 ? arrays.count : 0, isEqual: order == 0 && arrays.count > 0)
        }
        // Safe because eight bytes lie behind the last entry.
        let entries = unsafe node.address + arrays.places.end
        let (length, rest) = (arrays.ownByteCount, UInt64(64 - 8 * count))
        func own(_ index: Int) -> UInt64 {
            unsafe UInt64(bigEndian: entries.loadUnaligned(fromByteOffset: index * length, as: UInt64.self)) &>> rest
        }
        // Keys that have the same own bytes so far, and go on otherwise, sort all before the key, or all behind it.
        let bound = order > 0 ? wanted &+ 1 : wanted
        guard bound >= wanted else { return BasePlace(index: arrays.count, isEqual: false) }
        var low = 0
        var high = arrays.count
        while low < high {
            let middle = (low &+ high) &>> 1
            if own(middle) < bound { low = middle &+ 1 } else { high = middle }
        }
        return BasePlace(index: low, isEqual: order == 0 && low < arrays.count && own(low) == wanted)
    }

    private func longPlace(of key: UnsafeRawBufferPointer, _ arrays: PackedArrays) -> BasePlace {
        unsafe withUnsafeTemporaryAllocation(byteCount: ownKeyByteCount, alignment: 8) { own in
            let (count, order) = unsafe forEachOwnByte(of: key, arrays) { unsafe own[$0] = $1 }
            func orderOfOwn(_ index: Int) -> Int {
                count == 0 ? 0 : unsafe Int(memcmp(node.address + arrays.entry(index), own.baseAddress!, count))
            }
            let index = (0..<arrays.count).partitionPoint {
                let found = orderOfOwn($0)
                return found < 0 || (order > 0 && found == 0)
            }
            return BasePlace(index: index, isEqual: order == 0 && index < arrays.count && orderOfOwn(index) == 0)
        }
    }

    /// Takes from a key what an entry with that key would have of its own, up to where it differs from what all share. Gives how many
    /// bytes that are, and whether the key sorts before, with or behind entries that have the same there.
    @inline(__always)
    private func forEachOwnByte(
        of key: UnsafeRawBufferPointer, _ arrays: PackedArrays, _ body: (_ number: Int, _ byte: UInt8) -> Void
    ) -> (count: Int, order: Int) {
        let shared = unsafe node.address + arrays.shared.offset
        let places = unsafe node.address + arrays.places.offset
        let (length, ownLength) = (keyByteCount, ownKeyByteCount)
        func place(_ number: Int) -> Int {
            number < ownLength ? unsafe Int(places.load(fromByteOffset: number, as: UInt8.self)) : length
        }
        var number = 0
        var next = place(0)
        for index in 0..<min(length, key.count) {
            let byte = unsafe key[index]
            guard index == next else {
                let shared = unsafe shared.load(fromByteOffset: index, as: UInt8.self)
                if byte == shared { continue }
                return (number, byte < shared ? -1 : 1)
            }
            body(number, byte)
            number &+= 1
            next = place(number)
        }
        return (number, key.count - length)
    }
}

/// An entry as a packed page holds it.
struct PackedEntry {
    let key: [UInt8]
    /// As it lies there: codes, where `symbolsPage` is not 0.
    let storedValue: [UInt8]
    let facets: UInt16
    let symbolsPage: Int

    /// Precondition: the bytes were validated as a packed page, which has the entry.
    init(_ index: Int, ofPage bytes: [UInt8]) {
        // Safe because the layout was checked, and an array's bytes are aligned to more than any field is.
        self = unsafe bytes.withUnsafeBytes { bytes in
            unsafe PackedEntry(index, of: PackedPage(Node(bytes.baseAddress!)))
        }
    }

    private init(_ index: Int, of page: PackedPage) {
        key = page.withKey(index) { $0.copyBytes() }
        storedValue = page.storedValue(index)
        facets = page.facetBits.facets(index)
        symbolsPage = page.symbolsPage
    }

    /// - Parameter symbols: the page that `symbolsPage` leads to, found to be one of symbols; `nil` where it is not.
    /// - Returns: `nil` for a value that cannot be told without it.
    func value(_ symbols: [UInt8]?) -> [UInt8]? {
        guard symbolsPage > 0 else { return storedValue }
        return symbols.map { SymbolTable.value(of: storedValue, with: $0) }
    }
}
