import CCRC32C

@testable import StorageEngine

/// A log segment read as `Formats/LOG.md` tells it, slow and obvious, to compare `LogScan` and replay with.
struct PlainLog {
    enum Ending {
        case clean, torn, reordered, rotten
    }

    struct Frame {
        let commit: UInt64
        let watermark: UInt64
        let isWatermarkOnly: Bool
        /// `nil` when it does not decompress, or cannot be read without features that are not known.
        let payload: [UInt8]?
        let isRefused: Bool
    }

    private(set) var frames: [Frame] = []
    private(set) var end = 64
    private(set) var lastCommit: UInt64
    private(set) var lastChecksum: UInt64
    private(set) var ending = Ending.clean

    /// Precondition: the header is sound.
    init(_ bytes: [UInt8], snapshotCommit: UInt64) {
        let baseCommit = bytes.number(40, 8)
        lastCommit = baseCommit
        lastChecksum = bytes.number(48, 4)
        // A closing mark has a page of its own: the next one.
        while let frame = next(in: bytes, at: end) ?? next(in: bytes, at: (end + 4095) / 4096 * 4096, isMark: true) {
            frames.append(frame.content)
            lastCommit = frame.content.commit
            lastChecksum = frame.checksum
            end = frame.end
        }
        let tail = bytes.dropFirst(end)
        var behind: [Frame] = []
        var place = end
        while place < bytes.count {
            let found = Self.frame(in: bytes, at: place)
            if let found { behind.append(found.content) }
            place = found?.bodyEnd ?? place + 1
        }
        let newest = ([baseCommit, snapshotCommit] + (frames + behind).map(\.watermark)).max() ?? 0
        if newest > lastCommit {
            ending = .rotten
        } else if tail.contains(where: { $0 != 0 }) {
            ending = behind.isEmpty ? .torn : .reordered
        }
    }

    private typealias Found = (content: Frame, previousChecksum: UInt64, checksum: UInt64, bodyEnd: Int, end: Int)

    /// The frame there, when it follows the last one.
    private func next(in bytes: [UInt8], at start: Int, isMark: Bool = false) -> Found? {
        guard let frame = Self.frame(in: bytes, at: start), frame.previousChecksum == lastChecksum else { return nil }
        let isWatermarkOnly = frame.content.isWatermarkOnly
        guard frame.content.commit == (isWatermarkOnly ? lastCommit : lastCommit + 1) else { return nil }
        return isMark && !isWatermarkOnly ? nil : frame
    }

    private static func frame(in bytes: [UInt8], at start: Int) -> Found? {
        guard start + 56 <= bytes.count, Array(bytes[start..<start + 4]) == Array("BDFR".utf8) else { return nil }
        let stored = Int(bytes.number(start + 4, 4))
        let raw = Int(bytes.number(start + 8, 4))
        guard bytes.number(start + 32, 4) == bytes.number(12, 4), stored <= bytes.count - start - 56,
            raw <= 256 * max(stored, 1), raw <= 512 << 20, stored <= 512 << 20,
            max(bytes.number(start + 16, 8), bytes.number(start + 24, 8)) < 1 << 62
        else { return nil }
        let body = Array(bytes[start + 56..<start + 56 + stored])
        let checksum = CRC32C.checksum(Array(bytes[start..<start + 52]) + body)
        guard bytes.number(start + 52, 4) == UInt64(checksum) else { return nil }
        let flags = bytes.number(start + 12, 4)
        let isRefused = bytes.number(start + 50, 2) != 0
        let trailer = Int(bytes.number(start + 48, 1))
        let content = Array(body.dropLast(trailer))
        var payload = raw == content.count && trailer <= stored ? content : nil
        if flags & 1 == 1 {
            payload = trailer <= stored ? LZ4Block.decompress(content.span.bytes, byteCount: raw) : nil
        }
        if isRefused { payload = nil }
        let frame = Frame(
            commit: bytes.number(start + 16, 8), watermark: bytes.number(start + 24, 8),
            isWatermarkOnly: flags & 2 == 2, payload: payload,
            isRefused: isRefused)
        let end = start + (56 + stored + 7) / 8 * 8
        return (frame, bytes.number(start + 36, 4), UInt64(checksum), start + 56 + stored, end)
    }
}

extension StoreContents {
    /// Applies a commit as the format tells it. `false` when it is none.
    mutating func apply(_ payload: [UInt8], _ declared: inout [UInt32: TreeDeclaration]) -> Bool {
        var rest = payload[...]
        func take(_ count: Int) -> [UInt8]? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        func takeTree() -> UInt32? {
            let encoded = rest.prefix { $0 >= 0x80 }.count + 1
            guard encoded <= 4, let bytes = take(encoded), bytes.count == 1 || bytes.last != 0 else { return nil }
            let number = bytes.reversed().reduce(0) { $0 << 7 | UInt32($1 & 0x7F) }
            return (1...0xFF_FFFF).contains(number) ? number : nil
        }
        while let code = rest.first {
            switch code {
            case 1:
                guard let header = take(9), let number = takeTree(), let key = take(Int(header.number(1, 2))),
                    let value = take(Int(header.number(5, 4))), let tree = declared[number],
                    (1...512).contains(key.count),
                    value.count <= (tree.columns.amountCount > 0 ? 1024 : 16 << 20)
                else { return false }
                let facets = header.number(3, 2)
                guard facets >> UInt64(tree.facetCount) == 0 else { return false }
                trees[number, default: [:]][key] = Value(bytes: value, facets: UInt16(facets))
            case 2:
                guard let header = take(3), let number = takeTree(), let key = take(Int(header.number(1, 2))),
                    declared[number] != nil, (1...512).contains(key.count)
                else { return false }
                trees[number]?[key] = nil
            case 3:
                guard let header = take(18), let number = takeTree(), let name = take(Int(header.number(11, 2))),
                    let name = String(validating: name, as: UTF8.self),
                    let columns = TreeColumns(word: header.number(2, 8)),
                    let placement = ValuePlacement(rawValue: header[10])
                else { return false }
                let tree = TreeDeclaration(
                    TreeNumber(number), name, facetCount: Int(header[1]), columns: columns, placement: placement,
                    home: KeyLead(code: header[13]).map { TreeHome(TreeNumber(UInt32(header.number(14, 4))), lead: $0) }
                )
                guard tree.objection == nil, declared[number] == nil || declared[number] == tree,
                    declared[number] != nil || declared.count < 4096
                else { return false }
                declared[number] = tree
            case 4:
                guard take(1) != nil, let number = takeTree(), declared[number] != nil else { return false }
                trees[number] = nil
            case 64...127:
                guard let header = take(5), take(Int(header.number(1, 4))) != nil else { return false }
            default: return false
            }
        }
        return true
    }
}

extension [UInt8] {
    fileprivate func number(_ offset: Int, _ count: Int) -> UInt64 {
        self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
