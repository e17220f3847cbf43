/// The fields that an operation begins with. The key and the value, or the name, come after them. `Formats/LOG.md` lists both.
enum OperationField {
    static var code: Field<UInt8> { Field("code", at: 0) }
    static var tree: Field<UInt8> { Field("tree", at: 1) }

    enum Put {
        static var keyCount: Field<UInt16> { Field("keyCount", at: 2) }
        static var facets: Field<UInt16> { Field("facets", at: 4) }
        static var valueCount: Field<UInt32> { Field("valueCount", at: 6) }
        static var all: FieldTable { FieldTable(code, tree, keyCount, facets, valueCount) }
        static var end: Int { valueCount.end }
    }

    enum Remove {
        static var keyCount: Field<UInt16> { Field("keyCount", at: 2) }
        static var all: FieldTable { FieldTable(code, tree, keyCount) }
        static var end: Int { keyCount.end }
    }

    enum Declare {
        static var facetCount: Field<UInt8> { Field("facetCount", at: 2) }
        static var placement: Field<UInt8> { Field("placement", at: 3) }
        static var nameCount: Field<UInt16> { Field("nameCount", at: 4) }
        static var all: FieldTable { FieldTable(code, tree, facetCount, placement, nameCount) }
        static var end: Int { nameCount.end }
    }

    enum Clear {
        static var all: FieldTable { FieldTable(code, tree) }
        static var end: Int { tree.end }
    }
}
