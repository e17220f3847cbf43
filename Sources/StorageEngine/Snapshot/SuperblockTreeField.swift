/// The fields of a tree in a superblock. `Formats/SNAPSHOT.md` draws it.
enum SuperblockTreeField {
    static var number: Field<UInt8> { Field("number", at: 0) }
    static var facetCount: Field<UInt8> { Field("facetCount", at: 1) }
    static var placement: Field<UInt8> { Field("placement", at: 2) }
    static var height: Field<UInt8> { Field("height", at: 3) }
    static var rootPage: Field<UInt32> { Field("rootPage", at: 4) }
    static var rootChecksum: Field<UInt32> { Field("rootChecksum", at: 8) }
    static var leafPages: Field<UInt32> { Field("leafPages", at: 12) }
    static var branchPages: Field<UInt32> { Field("branchPages", at: 16) }
    static var reserved: Field<UInt32> { Field("reserved", at: 20) }
    static var entryCount: Field<UInt64> { Field("entryCount", at: 24) }
    static var keyByteCount: Field<UInt64> { Field("keyByteCount", at: 32) }
    static var valueByteCount: Field<UInt64> { Field("valueByteCount", at: 40) }
    static var usedByteCount: Field<UInt64> { Field("usedByteCount", at: 48) }
    static var name: Field<[UInt8]> { Field("name", at: 56, count: Limits.treeNameByteCount) }
    static var reservedEnd: Field<[UInt8]> { Field("reserved", at: 88, count: 8) }

    static var all: FieldTable {
        FieldTable(
            number, facetCount, placement, height, rootPage, rootChecksum, leafPages, branchPages,
            reserved, entryCount, keyByteCount, valueByteCount, usedByteCount, name, reservedEnd)
    }

    /// Where the tree at an index begins, from the superblock's start.
    static func start(ofTree index: Int) -> Int { SuperblockField.trees.offset + index * reservedEnd.end }
}
