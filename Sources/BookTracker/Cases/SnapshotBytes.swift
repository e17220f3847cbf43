import Foundation
import StorageEngine

/// The bytes of a snapshot file, as far as the cases change them. `Formats/SNAPSHOT.md` draws them; a test compares
/// the offsets.
struct SnapshotBytes {
    static let pageByteCount = 4_096

    /// Places in the superblock, the first page of the file.
    enum Superblock {
        static let formatVersion = 8
        static let treeCount = 60
        static let readOnlyFeatures = 108
        static let checksum = 4_092
    }

    /// Places in the description of a tree, of which the catalogue behind the superblock has one for each.
    enum Tree {
        static let byteCount = 160
        static let rootPage = 8
        static let name = 64
        static let nameByteCount = 64

        /// From where the catalogue begins: none lies on two pages.
        static func start(of tree: Int) -> Int {
            let (page, place) = tree.quotientAndRemainder(dividingBy: pageByteCount / byteCount)
            return page * pageByteCount + place * byteCount
        }
    }

    private(set) var bytes: Data

    init(_ bytes: Data) throws {
        guard bytes.count >= 2 * Self.pageByteCount, bytes.starts(with: Data("BOOKDBSN".utf8)) else {
            throw TrackerError("This is no snapshot file.")
        }
        self.bytes = bytes
    }

    /// Writes a number into the superblock and into its copy, the last page, and makes the checksum of both right
    /// again: what a newer version would have written.
    mutating func setSuperblock(_ number: UInt32, at offset: Int) {
        var page = [UInt8](bytes.prefix(Self.pageByteCount))
        Self.store(number, at: offset, in: &page)
        Self.store(CRC32C.checksum(Array(page.prefix(Superblock.checksum))), at: Superblock.checksum, in: &page)
        bytes.replaceSubrange(0..<Self.pageByteCount, with: page)
        bytes.replaceSubrange(bytes.count - Self.pageByteCount..<bytes.count, with: page)
    }

    func superblock(_ offset: Int) -> UInt32 { number(at: offset) }

    /// The page at the root of a tree; `nil` when there is no such tree, or nothing in it.
    func rootPage(ofTree name: String) -> Int? {
        for tree in 0..<Int(superblock(Superblock.treeCount)) {
            let start = Self.pageByteCount + Tree.start(of: tree)
            let text = bytes[start + Tree.name..<start + Tree.name + Tree.nameByteCount].prefix { $0 != 0 }
            guard String(decoding: text, as: UTF8.self) == name else { continue }
            let page = Int(number(at: start + Tree.rootPage))
            return page == 0 ? nil : page
        }
        return nil
    }

    /// Changes one byte of a page.
    mutating func spoil(page: Int, byte: Int) { bytes[page * Self.pageByteCount + byte] ^= 0xFF }

    // MARK: Little-endian numbers

    private func number(at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func store(_ number: UInt32, at offset: Int, in bytes: inout [UInt8]) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(index))) }
    }
}
