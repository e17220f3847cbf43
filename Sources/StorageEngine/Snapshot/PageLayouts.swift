/// How the pages of a snapshot may be laid out that is written; a reader reads all of them. All, but in tests, which write what a version
/// of the format without one of them would have written.
package struct PageLayouts: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Places in the home of a tree instead of keys.
    package static let places = PageLayouts(rawValue: 1)
    /// Pages without slots, of entries whose keys have one length.
    package static let packed = PageLayouts(rawValue: 2)
    /// Values of packed pages in symbols.
    package static let symbols = PageLayouts(rawValue: 4)
    /// Ends of values that another entry of the page has, too.
    package static let sharedEnds = PageLayouts(rawValue: 8)

    package static let all: PageLayouts = [.places, .packed, .symbols, .sharedEnds]
}
