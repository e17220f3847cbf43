/// The tags of an app's record and of what is nested in it.
///
/// Field n has tag n + 3, and n + 4 from 12 on: tag 15 is reserved in every record.
package enum FieldNumber {
    /// The version of the type that wrote the record; left out when it is 1. Of the outermost record.
    package static let versionTag: UInt32 = 1

    /// A field whose coding key has no number of its own, such as a key of a dictionary: a record of `nameTag` and `valueTag`.
    static let namedTag: UInt32 = 2

    static let nameTag: UInt32 = 1
    static let valueTag: UInt32 = 2

    /// Of a list: the indices of its absent elements, and the others.
    static let absentTag: UInt32 = 1
    static let elementTag: UInt32 = 2

    static let range = 0...(1 << 28) - 1

    /// How deep records and lists may be nested in a record.
    static let maximumDepth = 64

    static func tag(_ number: Int) -> UInt32 {
        let tag = UInt32(number) + 3
        return tag < ReservedTag.stamps ? tag : tag + 1
    }

    package static func number(ofTag tag: UInt32) -> Int? {
        guard tag >= 3, tag != ReservedTag.stamps else { return nil }
        return Int(tag < ReservedTag.stamps ? tag - 3 : tag - 4)
    }

    /// `nil` for a key that is a name. A key of a dictionary that reads as a number has that, too, beside its name: `5`, `-5`, `+5`.
    static func number(of key: some CodingKey) -> Int? {
        guard let number = key.intValue, let first = key.stringValue.utf8.first else { return nil }
        let mayBeNumber = (0x30...0x39).contains(first) || first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        return mayBeNumber && Int(key.stringValue) != nil ? nil : number
    }

    /// - Throws: `LibraryError.schemaMismatch` for a number that is out of range.
    static func checkedTag(_ number: Int) throws(LibraryError) -> UInt32 {
        guard range.contains(number) else {
            throw .schemaMismatch(
                "A field has the number \(number); fields are numbered from 0 to \(range.upperBound).")
        }
        return tag(number)
    }
}
