/// The keys of a damaged snapshot's leaves, those with places too: the ends of their keys are read in the pages of the home tree, of which
/// each is proved by its seal.
struct SalvagedHomes: Sendable {
    private let file: SalvageFile
    private let seal: PageSeal
    private let pageCount: Int
    private let coldByteCount: UInt64
    /// Pages of home trees by their numbers; `nil` for one that cannot be proved.
    private var pages: [UInt32: SalvagedPage?] = [:]

    /// So many are kept: places lie all over the tree.
    private static let pageCountKept = 4096

    init(_ file: SalvageFile, _ seal: PageSeal, pageCount: Int, coldByteCount: UInt64) {
        (self.file, self.seal, self.pageCount, self.coldByteCount) = (file, seal, pageCount, coldByteCount)
    }

    /// A leaf's key; `nil` where the page that holds its end is lost.
    mutating func key(_ index: Int, of leaf: SalvagedPage) throws(StorageError) -> [UInt8]? {
        guard leaf.isPermuted else { return leaf.key(index) }
        let entry = leaf.placedEntry(index)
        guard let home = try page(entry.homePage), home.tree.rawValue == entry.homeTree, home.isLeaf, home.hasSlots,
            entry.homeIndex < home.count
        else { return nil }
        return entry.lead + home.key(entry.homeIndex)
    }

    private mutating func page(_ number: UInt32) throws(StorageError) -> SalvagedPage? {
        if let page = pages[number] { return page }
        if pages.count >= Self.pageCountKept { pages.removeAll(keepingCapacity: true) }
        var found: SalvagedPage?
        if let bytes = try file.page(Int(number)), bytes.withBytes(seal.isOn) {
            found = SalvagedPage(bytes, pageCount: pageCount, coldByteCount: coldByteCount)
        }
        if found?.number != number { found = nil }
        pages[number] = .some(found)
        return found
    }
}
