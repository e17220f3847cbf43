/// A cold block: a header, and the stored bytes. `Formats/SNAPSHOT.md` draws it.
enum ColdBlock {
    static let magic: [UInt8] = Array("BDCB".utf8)
    static var headerByteCount: Int { ColdBlockField.checksum.end }
    /// A block that holds more has one value.
    static let sharedByteCountLimit = 16 << 10

    static func checksum(header: RawSpan, block: UInt64, of file: ColdIdentity, stored: RawSpan) -> UInt32 {
        var seed = CRC32C.checksum(header, before: ColdBlockField.checksum)
        var place: [UInt8] = []
        place.append(littleEndian: block)
        place.append(contentsOf: file.store.bytes)
        place.append(littleEndian: file.generation)
        seed = CRC32C.checksum(place, seed: seed)
        return CRC32C.checksum(stored, seed: seed)
    }

    /// What is wrong with a block.
    struct Finding: Error {
        let words: String
    }

    /// A block that was checked.
    struct Decoded {
        /// What it holds, or the first part of that.
        let bytes: [UInt8]
        /// How much it holds.
        let rawByteCount: Int
        /// How many bytes it fills in its region.
        let byteCount: Int
    }

    /// Checks the block that lies at `start` of a region, and decodes it.
    ///
    /// - Parameters:
    ///   - bytes: from the block's header on, as many as the region has; a header at least.
    ///   - end: what it holds is decoded up to here; `nil` for all of it. Half a block takes half the time.
    static func decode(
        _ bytes: RawSpan, at start: UInt64, of file: ColdIdentity, upTo end: Int? = nil
    ) throws(Finding) -> Decoded {
        let (stored, raw) = try counts(bytes, of: file)
        let payloadByteCount = stored - file.trailerByteCount
        guard stored <= bytes.byteCount - headerByteCount else { throw misfit(stored, raw) }
        let content = bytes.extracting(headerByteCount..<headerByteCount + stored)
        let payload = content.extracting(0..<payloadByteCount)
        let said = bytes.load(ColdBlockField.checksum)
        let computed = checksum(
            header: bytes.extracting(0..<headerByteCount), block: start, of: file, stored: content)
        guard computed == said else {
            throw Finding(words: "the block's checksum is \(computed.hexadecimal), it says \(said.hexadecimal)")
        }
        let wanted = min(raw, max(1, end ?? raw))
        let decoded =
            if payloadByteCount == raw {
                payload.extracting(0..<wanted).copyBytes()
            } else if wanted == raw {
                LZ4Block.decompress(payload, byteCount: raw)
            } else {
                LZ4Block.decompress(payload, prefix: wanted)
            }
        guard let decoded else { throw Finding(words: "the block does not decompress to \(raw) bytes") }
        return Decoded(bytes: decoded, rawByteCount: raw, byteCount: headerByteCount + stored)
    }

    /// Bytes stored, and when decoded, as a header says.
    static func counts(_ header: RawSpan) -> (stored: Int, raw: Int) {
        (Int(header.load(ColdBlockField.storedCount)), Int(header.load(ColdBlockField.rawCount)))
    }

    /// The same where they can be those of a block of the file: what is read of it has a limit.
    static func counts(_ header: RawSpan, of file: ColdIdentity) throws(Finding) -> (stored: Int, raw: Int) {
        guard header.has(magic, in: ColdBlockField.magic) else { throw Finding(words: "this is no cold block") }
        let (stored, raw) = counts(header)
        let payloadByteCount = stored - file.trailerByteCount
        guard raw <= Limits.valueByteCount + sharedByteCountLimit, payloadByteCount >= 0, raw >= payloadByteCount,
            raw > 0, raw <= max(1, payloadByteCount) * 256
        else { throw misfit(stored, raw) }
        return (stored, raw)
    }

    private static func misfit(_ stored: Int, _ raw: Int) -> Finding {
        Finding(words: "the block's lengths \(stored) and \(raw) do not fit")
    }
}

/// Which file a cold block is of. Its checksum covers this, so that a block of an older generation in the same place, which
/// no parent's checksum would give away, is not taken for this one's.
struct ColdIdentity {
    let store: StoreIdentifier
    let generation: UInt64
    /// Of the bytes that a block stores, the last ones that are no value.
    let trailerByteCount: Int

    init(store: StoreIdentifier, generation: UInt64, trailerByteCount: Int = 0) {
        self.store = store
        self.generation = generation
        self.trailerByteCount = trailerByteCount
    }

    init(_ superblock: Superblock) {
        self.init(
            store: superblock.store, generation: superblock.generation,
            trailerByteCount: Int(superblock.blockTrailerByteCount))
    }
}

/// Where a snapshot file keeps its compressed values. Each block is checked every time it is decoded.
struct ColdRegion {
    let path: String
    let fileOffset: Int
    let byteCount: Int
    let identity: ColdIdentity

    init(_ superblock: Superblock, path: String) {
        self.path = path
        fileOffset = Int(superblock.coldOffset)
        byteCount = Int(superblock.coldByteCount)
        identity = ColdIdentity(superblock)
    }

    /// Checks a block of the region, which `file` holds, and decodes it, up to `end` where that is given.
    func block(at start: UInt64, in file: RawSpan, upTo end: Int? = nil) throws(StorageError) -> ColdBlock.Decoded {
        guard fileOffset <= file.byteCount, byteCount <= file.byteCount - fileOffset else {
            throw damage(0, "the cold region lies outside the file")
        }
        let region = file.extracting(fileOffset..<fileOffset + byteCount)
        guard start <= UInt64(byteCount), byteCount - Int(start) >= ColdBlock.headerByteCount else {
            throw damage(Int(clamping: start), "the block lies outside the cold region")
        }
        do throws(ColdBlock.Finding) {
            return try ColdBlock.decode(
                region.extracting(Int(start)..<byteCount), at: start, of: identity, upTo: end)
        } catch {
            throw damage(Int(start), error.words)
        }
    }

    /// How many bytes the header at `start` says its block has, true or not, within the region that `file` holds.
    func claimedByteCount(at start: UInt64, in file: RawSpan) -> Int {
        guard start + UInt64(ColdBlock.headerByteCount) <= UInt64(byteCount) else { return 0 }
        return min(Int(file.load(ColdBlockField.storedCount, at: fileOffset + Int(start))), byteCount)
    }

    func damage(_ offset: Int, _ finding: String) -> StorageError {
        .damaged(Damage(file: path, byteOffset: fileOffset + min(offset, byteCount), finding: finding))
    }
}

/// Reads cold values, keeping the block last decoded: values that follow each other usually share it.
struct ColdReader {
    private let file: SnapshotFile
    /// Decodes no more of a block than a value needs.
    private let readsOne: Bool
    private var last: (start: UInt64, block: ColdBlock.Decoded)?
    /// For one who reads all values in the order of their keys, which is that of the blocks.
    private var readAhead: ReadAhead?

    init(_ file: SnapshotFile, readsAll: Bool = false) {
        self.file = file
        readsOne = false
        readAhead = readsAll ? file.readAhead : nil
    }

    /// For one value.
    init(forOneOf file: SnapshotFile) {
        self.file = file
        readsOne = true
    }

    private mutating func value<Result>(
        _ reference: ColdReference, _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let start = Int(reference.offset)
        let end = start + Int(reference.count)
        let block = try block(at: reference.block, upTo: end)
        guard end <= block.bytes.count else {
            throw file.cold.damage(Int(clamping: reference.block), "a value lies outside its block")
        }
        // Only so does the work stay in proportion to the values: a large block has one value and is decoded once for it.
        guard block.rawByteCount <= ColdBlock.sharedByteCountLimit || Int(reference.count) == block.rawByteCount else {
            throw file.cold.damage(
                Int(clamping: reference.block), "a value is part of a block that is too large for several")
        }
        return try block.bytes.withBytes { (bytes) throws(StorageError) in try body(bytes.extracting(start..<end)) }
    }

    /// The value that a leaf's cell is, or says where it lies.
    mutating func value<Result>(
        word: UInt16, cell: RawSpan, _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        switch word {
        case NodeLayout.coldValue: try value(ColdReference(cell: cell), body)
        // Safe because a page that holds this word does not pass validation, and a memory node that does holds a reference.
        case NodeLayout.largeValue: try unsafe LargeValue(cell: cell).withBytes(body)
        default: try body(cell)
        }
    }

    private mutating func block(at start: UInt64, upTo end: Int) throws(StorageError) -> ColdBlock.Decoded {
        if let last, last.start == start { return last.block }
        readAhead?.reach(file.cold.fileOffset + Int(min(start, file.superblock.coldByteCount)))
        do throws(StorageError) {
            let block = try file.withBytes { (bytes) throws(StorageError) in
                try file.cold.block(at: start, in: bytes, upTo: readsOne ? end : nil)
            }
            if !readsOne { last = (start, block) }
            return block
        } catch {
            if case .damaged(let damage) = error { file.noteMet(damage) }
            throw error
        }
    }
}
