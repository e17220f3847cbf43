/// The fields of a page of symbols behind those that all pages have. `Formats/SNAPSHOT.md` draws them.
enum SymbolField {
    /// As many entries as the tree had when its symbols were chosen, or about.
    static let chosenFor = Field<UInt64>("chosenFor", at: 32)
    /// By code: the symbol's bytes, the first in the lowest, and zeros behind the last.
    static let symbols = FieldArray<UInt64>("symbols", at: 40, count: codeCount)
    /// By code: how many bytes the symbol has, 0 for a code without one.
    static let lengths = FieldArray<UInt8>("lengths", at: symbols.end, count: codeCount)

    static let all = FieldTable(
        chosenFor, Field<[UInt8]>("symbols", at: symbols.offset, count: symbols.range.count),
        Field<[UInt8]>("lengths", at: lengths.offset, count: lengths.range.count))

    /// Behind everything.
    static let end = lengths.end

    /// A code is a byte.
    static let codeCount = 256
    /// What says that the next byte is one of the value, not a code. It has no symbol.
    static let escape: UInt8 = 255
    /// Bytes of a symbol.
    static let byteCounts = 1...8
}
