@testable import StorageEngine

/// Sound pages for an input to change.
enum PageTemplates {
    /// Every page of the images, but no superblocks.
    static let all: [[UInt8]] = SnapshotImage.all.flatMap { image in
        let superblock = try? Superblock(decoding: image.bytes.span.bytes.extracting(0..<4096), path: "", at: 0)
        let first = 1 + CataloguePages(of: image.bytes.span.bytes).count
        // A few of a kind will do.
        return (first..<Int(superblock?.pageCount ?? UInt32(first))).filter { $0 < 12 || $0.isMultiple(of: 16) }.map {
            Array(image.bytes[$0 * 4096..<($0 + 1) * 4096])
        }
    }

    /// The one of symbols. Without it, what lies before a page would be read as symbols.
    static let symbols: [UInt8] = {
        guard let page = all.first(where: { kind(of: $0) == NodeLayout.symbols }) else {
            fatalError("no image has a page of symbols")
        }
        return page
    }()

    static func kind(of page: [UInt8]) -> UInt8 { page.load(NodeField.kind) }
}
