/// The fields of a tree in a catalogue. `Formats/SNAPSHOT.md` draws it.
enum CatalogueField {
    static var number: Field<UInt32> { Field("number", at: 0) }
    static var facetCount: Field<UInt8> { Field("facetCount", at: 4) }
    static var placement: Field<UInt8> { Field("placement", at: 5) }
    static var height: Field<UInt8> { Field("height", at: 6) }
    static var lead: Field<UInt8> { Field("lead", at: 7) }
    static var rootPage: Field<UInt32> { Field("rootPage", at: 8) }
    static var rootChecksum: Field<UInt32> { Field("rootChecksum", at: 12) }
    static var leafPages: Field<UInt32> { Field("leafPages", at: 16) }
    static var branchPages: Field<UInt32> { Field("branchPages", at: 20) }
    static var entryCount: Field<UInt64> { Field("entryCount", at: 24) }
    static var keyByteCount: Field<UInt64> { Field("keyByteCount", at: 32) }
    static var valueByteCount: Field<UInt64> { Field("valueByteCount", at: 40) }
    static var usedByteCount: Field<UInt64> { Field("usedByteCount", at: 48) }
    static var columns: Field<UInt64> { Field("columns", at: 56) }
    static var name: Field<[UInt8]> { Field("name", at: 64, count: Limits.treeNameByteCount) }
    static var home: Field<UInt32> { Field("home", at: 128) }
    static var symbolsPage: Field<UInt32> { Field("symbolsPage", at: 132) }
    static var reserved: Field<[UInt8]> { Field("reserved", at: 136, count: 24) }

    static var all: FieldTable {
        FieldTable(
            number, facetCount, placement, height, lead, rootPage, rootChecksum, leafPages, branchPages,
            entryCount, keyByteCount, valueByteCount, usedByteCount, columns, name, home, symbolsPage,
            reserved)
    }

    static var byteCount: Int { reserved.end }

    /// Where the tree at an index begins, from the catalogue's start.
    static func start(ofTree index: Int) -> Int {
        index / treesPerPage * NodeLayout.pageByteCount + index % treesPerPage * byteCount
    }

    private static var treesPerPage: Int { NodeLayout.pageByteCount / byteCount }

    /// Pages of a catalogue of so many trees.
    static func pageCount(treeCount: Int) -> Int {
        (treeCount + treesPerPage - 1) / treesPerPage
    }
}
