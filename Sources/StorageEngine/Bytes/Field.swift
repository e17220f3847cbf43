/// A field of a structure: how far from the structure's start it lies, and how many bytes it has. A field is a little-endian
/// number, or bytes as they are, `Field<[UInt8]>`.
///
/// The fields of a structure are listed once, under the names they have in `Formats/`. Whoever reads, writes, checks or
/// shows the structure takes offsets and widths from there.
struct Field<Value> {
    let name: StaticString
    let offset: Int
    let byteCount: Int

    @inline(__always) var end: Int { offset + byteCount }
    var range: Range<Int> { offset..<end }
}

extension Field where Value: FixedWidthInteger & BitwiseCopyable {
    /// A number, of as many bytes as its type has.
    @inline(__always) init(_ name: StaticString, at offset: Int) {
        self.name = name
        self.offset = offset
        byteCount = MemoryLayout<Value>.size
    }
}

extension Field where Value == [UInt8] {
    init(_ name: StaticString, at offset: Int, count: Int) {
        self.name = name
        self.offset = offset
        byteCount = count
    }
}
