/// The fields that an operation begins with. The tree, the key and the value, or the columns and the name, come after them.
/// `Formats/LOG.md` lists them all.
enum OperationField {
    static var code: Field<UInt8> { Field("code", at: 0) }

    enum Put {
        static var keyCount: Field<UInt16> { Field("keyCount", at: 1) }
        static var facets: Field<UInt16> { Field("facets", at: 3) }
        static var valueCount: Field<UInt32> { Field("valueCount", at: 5) }
        static var all: FieldTable { FieldTable(code, keyCount, facets, valueCount) }
        static var end: Int { valueCount.end }
    }

    enum Remove {
        static var keyCount: Field<UInt16> { Field("keyCount", at: 1) }
        static var all: FieldTable { FieldTable(code, keyCount) }
        static var end: Int { keyCount.end }
    }

    enum Declare {
        static var facetCount: Field<UInt8> { Field("facetCount", at: 1) }
        static var columns: Field<UInt64> { Field("columns", at: 2) }
        static var placement: Field<UInt8> { Field("placement", at: 10) }
        static var nameCount: Field<UInt16> { Field("nameCount", at: 11) }
        static var lead: Field<UInt8> { Field("lead", at: 13) }
        static var home: Field<UInt32> { Field("home", at: 14) }
        static var all: FieldTable { FieldTable(code, facetCount, columns, placement, nameCount, lead, home) }
        static var end: Int { home.end }
    }

    enum Note {
        static var byteCount: Field<UInt32> { Field("byteCount", at: 1) }
        static var all: FieldTable { FieldTable(code, byteCount) }
        static var end: Int { byteCount.end }
    }

    /// Of a note with the code `LogNote.before`, from where its bytes begin. The tree, the key and the value come after them.
    enum Before {
        static var keyCount: Field<UInt16> { Field("keyCount", at: 0) }
        static var all: FieldTable { FieldTable(keyCount) }
        static var end: Int { keyCount.end }
    }

    enum Clear {
        static var all: FieldTable { FieldTable(code) }
        static var end: Int { code.end }
    }
}
