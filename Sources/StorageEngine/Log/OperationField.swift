/// The fields that an operation begins with. The tree, the key and the value, or the columns and the name, come after them.
/// `Formats/LOG.md` lists them all.
enum OperationField {
    static let code = Field<UInt8>("code", at: 0)

    enum Put {
        static let keyCount = Field<UInt16>("keyCount", at: 1)
        static let facets = Field<UInt16>("facets", at: 3)
        static let valueCount = Field<UInt32>("valueCount", at: 5)
        static var all: FieldTable { FieldTable(code, keyCount, facets, valueCount) }
        static var end: Int { valueCount.end }
    }

    enum Remove {
        static let keyCount = Field<UInt16>("keyCount", at: 1)
        static var all: FieldTable { FieldTable(code, keyCount) }
        static var end: Int { keyCount.end }
    }

    enum Declare {
        static let facetCount = Field<UInt8>("facetCount", at: 1)
        static let columns = Field<UInt64>("columns", at: 2)
        static let placement = Field<UInt8>("placement", at: 10)
        static let nameCount = Field<UInt16>("nameCount", at: 11)
        static let lead = Field<UInt8>("lead", at: 13)
        static let home = Field<UInt32>("home", at: 14)
        static var all: FieldTable { FieldTable(code, facetCount, columns, placement, nameCount, lead, home) }
        static var end: Int { home.end }
    }

    enum Note {
        static let byteCount = Field<UInt32>("byteCount", at: 1)
        static var all: FieldTable { FieldTable(code, byteCount) }
        static var end: Int { byteCount.end }
    }

    /// Of a note with the code `LogNote.before`, from where its bytes begin. The tree, the key and the value come after them.
    enum Before {
        static let keyCount = Field<UInt16>("keyCount", at: 0)
        static var all: FieldTable { FieldTable(keyCount) }
        static var end: Int { keyCount.end }
    }

    enum Clear {
        static var all: FieldTable { FieldTable(code) }
        static var end: Int { code.end }
    }
}
