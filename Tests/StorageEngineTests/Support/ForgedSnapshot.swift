import CCRC32C
import StorageEngine

/// A snapshot file whose bytes can be changed as one who wrote it wrongly would have: every checksum above is made right.
struct ForgedSnapshot {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The root page of the tree that stands at `index` in the catalogue.
    func rootPage(ofTree index: Int) -> Int { number(at: 4096 + index * 160 + 8, 4) }

    /// Changes that page.
    mutating func changeRoot(ofTree index: Int, isSealed: Bool = true, _ change: (inout [UInt8]) -> Void) {
        let sum = changePage(rootPage(ofTree: index), isSealed: isSealed, change)
        changeCatalogues { $0.store(sum, at: index * 160 + 12) }
    }

    /// Changes a page, and nothing that holds its checksum. Gives that.
    @discardableResult
    mutating func changePage(_ number: Int, isSealed: Bool = true, _ change: (inout [UInt8]) -> Void) -> UInt32 {
        let range = number * 4096..<(number + 1) * 4096
        var page = Array(bytes[range])
        change(&page)
        if isSealed { seal(&page) }
        bytes.replaceSubrange(range, with: page)
        return Self.checksum(page)
    }

    /// Changes both catalogues, of one page each.
    mutating func changeCatalogues(_ change: (inout [UInt8]) -> Void) {
        for start in [4096, bytes.count - 8192] {
            var page = Array(bytes[start..<start + 4096])
            change(&page)
            bytes.replaceSubrange(start..<start + 4096, with: page)
        }
        let sum = Self.checksum(Array(bytes[4096..<8192]))
        changeSuperblocks { $0.store(sum, at: 100) }
    }

    /// Changes both superblocks.
    mutating func changeSuperblocks(_ change: (inout [UInt8]) -> Void) {
        for start in [0, bytes.count - 4096] {
            var page = Array(bytes[start..<start + 4096])
            change(&page)
            let sum = Self.checksum(Array(page[..<4092]))
            page.store(sum, at: 4092)
            bytes.replaceSubrange(start..<start + 4096, with: page)
        }
    }

    mutating func replace(_ range: Range<Int>, with new: [UInt8]) { bytes.replaceSubrange(range, with: new) }

    private func number(at offset: Int, _ width: Int) -> Int {
        (0..<width).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }

    private func seal(_ page: inout [UInt8]) {
        page.store(UInt32(0), at: 28)
        let sum = Self.checksum(Array(bytes[16..<40]) + page)
        page.store(sum, at: 28)
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { bookdb_crc32c(0, $0.baseAddress, $0.count) }
    }
}

extension [UInt8] {
    /// Little-endian.
    mutating func store<Integer: FixedWidthInteger>(_ number: Integer, at offset: Int) {
        Swift.withUnsafeBytes(of: number.littleEndian) { replaceSubrange(offset..<offset + $0.count, with: $0) }
    }
}
