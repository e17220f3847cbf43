/// What the codes of a tree's values stand for: up to 255 short strings that its values are made of.
///
/// A value is written as codes of one byte each, so that it can be read alone, without its neighbours. After P. Boncz, T. Neumann and V. Leis,
/// *FSST: Fast Random Access String Compression*, VLDB 2020.
///
/// Safe because it is made of a page that was found to be one of symbols (`SymbolValidation`) only, and is used while that is there.
@safe struct SymbolTable {
    private let address: UnsafeRawPointer

    /// - Parameter address: of the page.
    init(_ address: UnsafeRawPointer) { unsafe self.address = address }

    /// Puts a value together. Of one that is longer than a leaf holds, as only a wrong page has it, what comes first.
    @inline(__always)
    func withValue<Result, Failure>(
        of codes: UnsafeRawBufferPointer, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let capacity = min(codes.count, Limits.hotValueByteCount) * SymbolField.byteCounts.upperBound
        return try unsafe withUnsafeTemporaryAllocation(
            byteCount: min(capacity, Limits.hotValueByteCount) + Self.overrunByteCount, alignment: 8
        ) { (bytes) throws(Failure) in
            let count = unsafe decode(codes, to: bytes.baseAddress!)
            return try body(unsafe UnsafeRawBufferPointer(start: bytes.baseAddress, count: count).bytes)
        }
    }

    /// Room to put any value together in.
    static let roomByteCount = Limits.hotValueByteCount + overrunByteCount

    /// The same in `roomByteCount` bytes of a caller, who puts many values together one after the other.
    @inline(__always)
    func value(of codes: UnsafeRawBufferPointer, in room: UnsafeMutableRawPointer) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: room, count: decode(codes, to: room))
    }

    /// Bytes of the value that codes stand for: as many as `withValue` lends.
    func byteCount(of codes: UnsafeRawBufferPointer) -> Int {
        let lengths = unsafe address + SymbolField.lengths.offset
        var (next, sum) = (0, 0)
        @inline(__always) func add(_ code: Int) {
            sum &+= unsafe Int(lengths.load(fromByteOffset: code, as: UInt8.self))
        }
        while next < codes.count {
            if let four = unsafe Self.fourWithoutEscape(of: codes, at: next) {
                Self.forEach(of: four, add)
                next &+= 4
                continue
            }
            let code = unsafe codes[next]
            next &+= 1
            if code != SymbolField.escape {
                add(Int(code))
            } else if next < codes.count {
                next &+= 1
                sum &+= 1
            }
        }
        return min(sum, Limits.hotValueByteCount)
    }

    /// A symbol is written as eight bytes, of which the next writes over what is too much; and four of them before anybody asks whether the value
    /// is complete.
    private static let overrunByteCount = 4 * SymbolField.byteCounts.upperBound

    /// Gives the bytes that were written. The target has room for all that the codes can stand for, but no more than a value's, and for the
    /// overrun.
    ///
    /// Not one for each who reads, which are many.
    @inline(never)
    private func decode(_ codes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int {
        let symbols = unsafe address + SymbolField.symbols.offset
        let lengths = unsafe address + SymbolField.lengths.offset
        var (next, end) = (0, 0)
        @inline(__always) func put(_ code: Int) {
            let symbol = unsafe symbols.load(fromByteOffset: code &* 8, as: UInt64.self)
            unsafe target.storeBytes(of: symbol, toByteOffset: end, as: UInt64.self)
            end &+= unsafe Int(lengths.load(fromByteOffset: code, as: UInt8.self))
        }
        while next < codes.count, end < Limits.hotValueByteCount {
            if let four = unsafe Self.fourWithoutEscape(of: codes, at: next) {
                Self.forEach(of: four, put)
                next &+= 4
                continue
            }
            let code = unsafe codes[next]
            next &+= 1
            if code != SymbolField.escape {
                put(Int(code))
            } else if next < codes.count {
                unsafe target.storeBytes(of: codes[next], toByteOffset: end, as: UInt8.self)
                next &+= 1
                end &+= 1
            }
        }
        return min(end, Limits.hotValueByteCount)
    }

    /// The next four codes, where there are as many and none of them is the escape: no byte of their complement is zero (H. Warren, Hacker's
    /// Delight, 6-1).
    @inline(__always)
    private static func fourWithoutEscape(of codes: UnsafeRawBufferPointer, at next: Int) -> UInt32? {
        guard codes.count &- next >= 4 else { return nil }
        let four = unsafe UInt32(littleEndian: codes.loadUnaligned(fromByteOffset: next, as: UInt32.self))
        return (~four &- 0x0101_0101) & four & 0x8080_8080 == 0 ? four : nil
    }

    @inline(__always)
    private static func forEach(of four: UInt32, _ body: (Int) -> Void) {
        body(Int(four & 0xFF))
        body(Int(four &>> 8 & 0xFF))
        body(Int(four &>> 16 & 0xFF))
        body(Int(four &>> 24))
    }
}

/// Reading a page of symbols that was copied out of its file.
extension SymbolTable {
    /// Precondition: the page was found to be one of symbols.
    static func value(of codes: [UInt8], with page: [UInt8]) -> [UInt8] {
        // Safe because both arrays are there during the call, and an array's bytes are aligned to more than any field is.
        unsafe page.withUnsafeBytes { page in
            unsafe codes.withUnsafeBytes { unsafe SymbolTable(page.baseAddress!).withValue(of: $0) { $0.copyBytes() } }
        }
    }
}
