extension DumpText {
    /// All blocks of a snapshot's cold region, then what lies between it and the last catalogue.
    mutating func coldRegion(_ file: any File, _ superblock: Superblock) throws(StorageError) {
        var block: UInt64 = 0
        while block < superblock.coldByteCount {
            let dumped = try DumpedColdBlock(file, superblock, at: block)
            coldBlock(dumped)
            guard let next = dumped.next else { break }
            block = next
        }
        let end = Int(superblock.coldOffset + superblock.coldByteCount)
        let padding = try file.byteCount() - superblock.headPageCount * NodeLayout.pageByteCount - end
        guard padding > 0 else { return }
        title("padding at \(end), \(Self.count(padding, "byte"))")
        if try !DumpedBytes(file, at: end, count: min(padding, 2 * NodeLayout.pageByteCount)).isZero {
            misfit("the padding is not zero")
        }
    }

    mutating func coldBlock(_ block: DumpedColdBlock) {
        title("cold block \(block.start) at \(block.piece.byteOffset)")
        text(block.piece, ColdBlockField.magic, "magic")
        number(block.piece, ColdBlockField.storedCount, "stored bytes")
        number(block.piece, ColdBlockField.rawCount, "raw bytes")
        checksum(block.piece, ColdBlockField.checksum, "checksum")
        if let finding = block.finding { misfit(finding) }
        guard let decoded = block.decoded else { return }
        let stored = block.piece.count - ColdBlock.headerByteCount
        let how = stored - block.trailerByteCount == decoded.count ? "stored as they are:" : "LZ4 of"
        field(block.piece, ColdBlock.headerByteCount, stored, "\(how) \(Self.words(decoded))")
    }
}

/// A cold block read by itself.
struct DumpedColdBlock {
    /// Its offset within the region.
    let start: UInt64
    /// The header and the stored bytes, or as much as there is.
    let piece: DumpedBytes
    let trailerByteCount: Int
    private(set) var finding: String?
    private(set) var decoded: [UInt8]?
    /// Where the next block begins; `nil` when the lengths do not fit.
    private(set) var next: UInt64?

    init(_ file: any File, _ superblock: Superblock, at start: UInt64) throws(StorageError) {
        self.start = start
        trailerByteCount = Int(superblock.blockTrailerByteCount)
        let offset = Int(min(start, superblock.coldByteCount))
        let place = Int(superblock.coldOffset) + offset
        let available = Int(superblock.coldByteCount) - offset
        let header = try DumpedBytes(file, at: place, count: min(available, ColdBlock.headerByteCount))
        guard header.count == ColdBlock.headerByteCount else {
            piece = header
            finding = "the block lies outside the cold region"
            return
        }
        guard header.withSpan({ $0.has(ColdBlock.magic, in: ColdBlockField.magic) }) else {
            piece = header
            finding = "this is no cold block"
            return
        }
        let (stored, raw) = header.withSpan(ColdBlock.counts)
        let checksum = header.bytes.load(ColdBlockField.checksum)
        let payloadByteCount = stored - trailerByteCount
        guard stored <= available - ColdBlock.headerByteCount, payloadByteCount >= 0, raw >= payloadByteCount, raw > 0,
            raw <= Limits.valueByteCount + ColdBlock.sharedByteCountLimit, raw <= max(1, payloadByteCount) * 256
        else {
            piece = header
            finding = "the block's lengths \(stored) and \(raw) do not fit"
            return
        }
        piece = try DumpedBytes(file, at: place, count: ColdBlock.headerByteCount + stored)
        next = start + UInt64(piece.count)
        let body = Array(piece.slice(ColdBlock.headerByteCount..<piece.count))
        let computed = piece.withSpan { header in
            body.withBytes {
                ColdBlock.checksum(header: header, block: start, of: ColdIdentity(superblock), stored: $0)
            }
        }
        if computed != checksum {
            finding = "the block's checksum is \(computed.hexadecimal), it says \(checksum.hexadecimal)"
        }
        let payload = Array(body.prefix(payloadByteCount))
        decoded = payloadByteCount == raw ? payload : payload.withBytes { LZ4Block.decompress($0, byteCount: raw) }
        if decoded == nil { finding = "the block does not decompress to \(raw) bytes" }
    }
}
