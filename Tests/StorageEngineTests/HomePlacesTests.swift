import TestSupport
import Testing

@testable import StorageEngine

/// Where the rows of an old page are in the file that is being written.
struct HomePlacesTests {
    private static let rows = TreeNumber(1)
    private static let order = TreeDeclaration(TreeNumber(2), "order", home: TreeHome(rows, lead: .bytes(1)))

    /// What an order's page with some rows of the old pages 4 and 5, ten each, gets from these as new leaves, the first on page 20.
    private static func places(of oldPlaces: [(lead: UInt8, place: UInt32)], leaves: [[HomePlaces.Origin]]) -> [UInt32]?
    {
        let home = HomeTree(
            tree: rows, rootPage: 3, rootChecksum: 0, firstPage: 4, radix: 10, placeBitCount: 5)
        var builder = PermutationPageBuilder(order, home, entryLimit: .max)
        for (lead, place) in oldPlaces {
            let isAppended = [lead].withBytes { lead in
                builder.append(lead: lead, value: lead.extracting(0..<0), facets: 0, place: place)
            }
            #expect(isAppended)
        }
        var page = PageWriter()
        _ = builder.finish(into: &page)
        page.put(9, PageSeal(store: .random(), generation: 1))
        var places = HomePlaces(rows)
        for (index, leaf) in leaves.enumerated() { places.add(leafOn: UInt32(20 + index), leaf) }
        // Safe because the page was laid out above, and is there during the call.
        return unsafe page.bytes.withUnsafeBytes { bytes in
            unsafe places.places(of: PermutationPage(Node(bytes.baseAddress!)))
        }
    }

    private static func taken(_ page: UInt32, _ indices: Range<Int> = 0..<10) -> [HomePlaces.Origin] {
        indices.map { .page(page, count: 10, index: $0) }
    }

    @Test func `each entry leads to where its row was taken over to`() {
        let old: [(UInt8, UInt32)] = [(1, 3), (1, 12), (2, 0), (2, 12)]
        #expect(Self.places(of: old, leaves: [Self.taken(4), Self.taken(5)]) == [3, 12, 0, 12])
        // Three rows that are new come first: the leaves have up to thirteen.
        let new = (0..<3).map { HomePlaces.Origin.key($0) }
        #expect(Self.places(of: old, leaves: [new + Self.taken(4), Self.taken(5)]) == [6, 15, 3, 15])
    }

    @Test func `a page is not taken over when a row of it has gone`() {
        #expect(Self.places(of: [(1, 3), (1, 12)], leaves: [Self.taken(4), Self.taken(5, 3..<10)]) == nil)
        #expect(Self.places(of: [(1, 3), (1, 13)], leaves: [Self.taken(4), Self.taken(5, 3..<10)]) == [3, 10])
        #expect(Self.places(of: [(1, 3)], leaves: []) == nil)
    }

    @Test func `a page is not taken over when its rows have come in another order`() {
        let leaves = [Self.taken(5), Self.taken(4)]
        #expect(Self.places(of: [(1, 3), (1, 12)], leaves: leaves) == nil)
        #expect(Self.places(of: [(1, 3), (2, 12)], leaves: leaves) == nil)
        #expect(Self.places(of: [(1, 12), (2, 3)], leaves: leaves) == [2, 13])
    }
}
