/// A file of a store for people: bytes on the left, words on the right. Reads raw bytes and trusts none of them; what does
/// not fit the format is shown as such.
public struct FileDump {
    private let bytes: UnsafeRawBufferPointer
    private let path: String
    private var lines: [String] = []

    /// Every field of a snapshot file or log segment. `page` limits a snapshot to one page.
    public static func lines(
        of path: String, page: Int? = nil, fileSystem: any FileSystem = PosixFileSystem()
    ) throws(StorageError) -> [String] {
        let file = try fileSystem.openFile(path, .reading)
        defer { file.close() }
        let bytes = try file.read(byteCount: try file.byteCount(), at: 0)
        return bytes.withUnsafeBytes { buffer in
            var dump = FileDump(bytes: buffer, path: path)
            dump.run(page)
            return dump.lines
        }
    }

    private init(bytes: UnsafeRawBufferPointer, path: String) {
        self.bytes = bytes
        self.path = path
    }

    private mutating func run(_ page: Int?) {
        if bytes.prefix(8).elementsEqual(LogSegmentFormat.magic) {
            log()
        } else if let page {
            self.page(page)
        } else {
            snapshot()
        }
    }

    // MARK: Lines

    private mutating func title(_ text: String) { lines.append(text) }

    private mutating func field(_ offset: Int, _ count: Int, _ words: String) {
        let shown = min(count, 16)
        guard offset >= 0, shown >= 0, offset + shown <= bytes.count else {
            lines.append("\(Self.hexadecimal(offset))  (behind the end of the file)  \(words)")
            return
        }
        var digits = bytes[offset..<offset + shown].map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined(separator: " ")
        if count > shown { digits += " …" }
        digits += String(repeating: " ", count: max(0, 50 - digits.count))
        lines.append("\(Self.hexadecimal(offset))  \(digits)\(words)")
    }

    private mutating func number<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ offset: Int, _ type: Integer.Type, _ name: String, radix: Int = 10
    ) {
        let size = MemoryLayout<Integer>.size
        guard offset >= 0, offset + size <= bytes.count else { return field(offset, size, name) }
        field(
            offset, size, "\(name) \(String(bytes.bytes.loadLittleEndian(at: offset, as: Integer.self), radix: radix))")
    }

    private static func hexadecimal(_ offset: Int) -> String {
        let digits = String(offset, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    /// A key as text where it is text.
    private static func words(_ key: some Sequence<UInt8>) -> String {
        var text = "\""
        for byte in key.prefix(64) {
            if byte >= 0x20, byte < 0x7F, byte != 0x22, byte != 0x5C {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text + "\""
    }

    // MARK: Snapshot

    private mutating func snapshot() {
        superblock(at: 0)
        let superblock: Superblock? = decodedSuperblock
        for number in 1..<max(1, superblock.map { Int($0.pageCount) } ?? bytes.count / NodeLayout.pageByteCount) {
            page(number)
        }
        guard let superblock else { return }
        let region = ColdRegion(superblock, path: path)
        var next: UInt64 = 0
        while next < superblock.coldByteCount {
            let start = region.fileOffset + Int(next)
            title("cold block at \(next)")
            number(start, UInt32.self, "magic", radix: 16)
            number(start + 4, UInt32.self, "stored bytes")
            number(start + 8, UInt32.self, "raw bytes")
            number(start + 12, UInt32.self, "checksum", radix: 16)
            do throws(StorageError) {
                let block = try region.block(at: next, in: bytes.bytes)
                field(start + 16, Int(block.next - next) - 16, "LZ4 of \(Self.words(block.bytes))")
                next = block.next
            } catch {
                lines.append(error.description)
                return
            }
        }
        self.superblock(at: bytes.count - NodeLayout.pageByteCount)
    }

    private var decodedSuperblock: Superblock? {
        guard bytes.count >= NodeLayout.pageByteCount else { return nil }
        let page = UnsafeRawBufferPointer(rebasing: bytes[..<NodeLayout.pageByteCount])
        guard let superblock = try? Superblock(decoding: page.bytes, path: path, at: 0),
            superblock.fileByteCount == UInt64(bytes.count)
        else { return nil }
        return superblock
    }

    private mutating func superblock(at start: Int) {
        title("superblock at \(start)")
        field(start, 8, "magic \(Self.words(bytes.dropFirst(start).prefix(8)))")
        number(start + 8, UInt32.self, "format version")
        number(start + 12, UInt32.self, "page bytes")
        field(start + 16, 16, "store identifier")
        number(start + 32, UInt64.self, "generation")
        number(start + 40, UInt64.self, "commit")
        number(start + 48, UInt64.self, "file bytes")
        number(start + 56, UInt32.self, "pages")
        number(start + 60, UInt32.self, "trees")
        number(start + 64, UInt64.self, "cold region at")
        number(start + 72, UInt64.self, "cold bytes")
        number(start + 80, UInt64.self, "created, ms since 1970")
        number(start + 88, UInt64.self, "log from segment")
        guard start + NodeLayout.pageByteCount <= bytes.count, start >= 0 else { return }
        for index in 0..<min(Int(bytes.bytes.loadLittleEndian(at: start + 60, as: UInt32.self)), Limits.treeCount) {
            let tree = start + Superblock.treesOffset + index * Superblock.treeByteCount
            field(
                tree, 4,
                "tree \(bytes[tree]), facets \(bytes[tree + 1]), placement \(bytes[tree + 2]), height \(bytes[tree + 3])"
            )
            number(tree + 4, UInt32.self, "  root page")
            number(tree + 8, UInt32.self, "  root checksum", radix: 16)
            number(tree + 12, UInt32.self, "  leaf pages")
            number(tree + 16, UInt32.self, "  branch pages")
            number(tree + 24, UInt64.self, "  entries")
            number(tree + 32, UInt64.self, "  key bytes")
            number(tree + 40, UInt64.self, "  value bytes")
            number(tree + 48, UInt64.self, "  bytes in use")
            field(tree + 56, 32, "  name \(Self.words(bytes[(tree + 56)..<(tree + 88)].prefix { $0 != 0 }))")
        }
        number(start + Superblock.checksumOffset, UInt32.self, "checksum", radix: 16)
    }

    private mutating func page(_ number: Int) {
        guard number >= 0, number <= bytes.count / NodeLayout.pageByteCount else {
            return title("page \(number) lies behind the end of the file")
        }
        let start = number * NodeLayout.pageByteCount
        guard start + NodeLayout.pageByteCount <= bytes.count else {
            return title("page \(number) lies behind the end of the file")
        }
        let page = UnsafeRawBufferPointer(rebasing: bytes[start..<start + NodeLayout.pageByteCount])
        guard page.contains(where: { $0 != 0 }) else { return title("page \(number), empty") }
        title("page \(number) at \(start), checksum \(CRC32C.checksum(page.bytes).hexadecimal)")
        field(start, 2, "kind \(page[0]) (\(page[0] == NodeLayout.leaf ? "leaf" : "branch")), facets \(page[1])")
        self.number(start + 2, UInt16.self, "entries")
        self.number(start + 4, UInt16.self, "capacity")
        self.number(start + 6, UInt16.self, "prefix length")
        self.number(start + 8, UInt16.self, "prefix offset")
        self.number(start + 10, UInt16.self, "level")
        self.number(start + 12, UInt32.self, "bytes in use")
        self.number(start + 24, UInt32.self, "page number")
        // From here on the page must have a layout that keeps every access within it.
        if let finding = PageValidation.layoutFinding(in: page.bytes, pageCount: .max, coldByteCount: .max) {
            return title("  damaged: \(finding)")
        }
        let node = Node(page.baseAddress!)
        if node.prefixLength > 0 {
            field(start + node.prefixOffset, node.prefixLength, "prefix \(Self.words(node.prefix))")
        }
        for index in 0..<node.count {
            field(start + NodeLayout.headerByteCount + index * 8, 8, "slot \(index): \(entry(node, index))")
        }
    }

    private func entry(_ node: Node, _ index: Int) -> String {
        guard node.isLeaf else {
            let counts = (0...node.facetCount).map { String(node.childCount(index, column: $0)) }.joined(separator: " ")
            let key = index == 0 ? "start" : Self.words(node.key(index))
            return "from \(key) → page \(node.child(index) >> 1), "
                + "checksum \(node.checksum(index).hexadecimal), counts \(counts)"
        }
        let cell = node.cell(index)
        let facets = node.facetCount > 0 ? ", facets \(String(node.facets(index), radix: 2))" : ""
        if cell.word == NodeLayout.coldValue {
            let reference = ColdReference(cell: cell.bytes.bytes)
            return "\(Self.words(node.key(index)))\(facets) = \(reference.count) bytes at \(reference.offset) "
                + "of cold block \(reference.block)"
        }
        return "\(Self.words(node.key(index)))\(facets) = \(cell.bytes.count) bytes \(Self.words(cell.bytes))"
    }

    // MARK: Log

    private mutating func log() {
        title("log segment")
        field(0, 8, "magic \(Self.words(bytes.prefix(8)))")
        number(8, UInt32.self, "format version")
        number(12, UInt32.self, "salt", radix: 16)
        field(16, 16, "store identifier")
        number(32, UInt64.self, "sequence")
        number(40, UInt64.self, "behind commit")
        number(48, UInt32.self, "previous checksum", radix: 16)
        number(60, UInt32.self, "checksum", radix: 16)
        let scan: LogScan
        do throws(StorageError) {
            scan = try LogScan(bytes.bytes, path: path, watermark: 0)
        } catch {
            return lines.append(error.description)
        }
        for start in scan.frames {
            guard let frame = LogFrame(in: bytes.bytes, at: start, salt: scan.header.salt) else { continue }
            title(frame.isWatermarkOnly ? "watermark at \(start)" : "commit \(frame.commit) at \(start)")
            number(start, UInt32.self, "magic", radix: 16)
            number(start + 4, UInt32.self, "stored bytes")
            number(start + 8, UInt32.self, "raw bytes")
            number(start + 12, UInt32.self, "flags")
            number(start + 16, UInt64.self, "commit")
            number(start + 24, UInt64.self, "watermark")
            number(start + 32, UInt32.self, "salt", radix: 16)
            number(start + 36, UInt32.self, "previous checksum", radix: 16)
            number(start + 40, UInt64.self, "time, ms since 1970")
            number(start + 52, UInt32.self, "checksum", radix: 16)
            field(start + 56, frame.end - start - 56, "payload")
            operations(frame)
        }
        switch scan.ending {
        case .clean: title("end at \(scan.end)")
        case .torn(let byteCount): title("torn tail: \(byteCount) bytes from \(scan.end) on")
        case .reordered(let byteCount): title("sound frames behind a gap: \(byteCount) bytes from \(scan.end) on")
        case .rotten(let damage): title(damage.description)
        }
    }

    private mutating func operations(_ frame: LogFrame) {
        guard let payload = frame.payload(in: bytes.bytes) else { return title("  the payload does not decompress") }
        var found: [String] = []
        let isWhole = payload.withBytes { payload in
            (try? Operation.forEach(in: payload) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, let key, let facets, let value):
                    found.append(
                        "  put \(Self.words(key.copyBytes())) in tree \(tree), facets \(String(facets, radix: 2)), "
                            + "\(value.byteCount) bytes \(Self.words(value.copyBytes()))")
                case .remove(let tree, let key):
                    found.append("  remove \(Self.words(key.copyBytes())) from tree \(tree)")
                case .declare(let tree): found.append("  declare tree \(tree.number.rawValue) \"\(tree.name)\"")
                }
            }) ?? false
        }
        lines += found
        if !isWhole { title("  the rest of the payload is no operation") }
    }
}
