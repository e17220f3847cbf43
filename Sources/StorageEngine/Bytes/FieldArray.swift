/// Numbers of one width, one after the other, from an offset of their structure on.
struct FieldArray<Element: FixedWidthInteger & BitwiseCopyable> {
    let name: StaticString
    let offset: Int
    let count: Int

    @inline(__always) init(_ name: StaticString, at offset: Int, count: Int) {
        self.name = name
        self.offset = offset
        self.count = count
    }

    @inline(__always) var end: Int { offset + count * MemoryLayout<Element>.size }
    var range: Range<Int> { offset..<end }

    @inline(__always) subscript(index: Int) -> Field<Element> {
        Field(name, at: offset + index * MemoryLayout<Element>.size)
    }

    /// The bytes of some elements.
    func range(of elements: Range<Int>) -> Range<Int> {
        self[elements.lowerBound].offset..<self[elements.upperBound].offset
    }
}
