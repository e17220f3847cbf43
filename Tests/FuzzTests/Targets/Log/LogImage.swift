@testable import StorageEngine

/// Makes log segments of an input: mostly as a writer would, with lies where the input asks for them. Checksums are right
/// unless the lie is a wrong one, since random bytes would never get past them.
struct LogImage {
    private(set) var segments: [[UInt8]] = []
    private let store: StoreIdentifier
    private var input: ByteReader
    private var segment: [UInt8] = []
    private var sequence: UInt64 = 1
    private var commit: UInt64 = 0
    private var salt: UInt32 = 0
    private var checksum: UInt32 = 0

    init(store: StoreIdentifier, input: ByteReader) {
        self.store = store
        self.input = input
        begin(baseCommit: 0)
        while !self.input.isAtEnd { piece() }
        segments.append(segment)
    }

    private mutating func begin(baseCommit: UInt64, generation: UInt64 = 0) {
        let header = LogSegmentHeader(
            store: store, sequence: sequence, baseCommit: baseCommit, previousChecksum: checksum,
            generation: generation)
        salt = header.salt
        segment = header.encoded()
    }

    private mutating func piece() {
        switch input.choice(12) {
        case 0, 1, 2: frame(operations())
        case 3: frame(input.bytes(Int(input.byte())))
        case 4: frame([], isWatermarkOnly: true)
        case 5: lie()
        case 6: segment += input.bytes(input.choice(80))
        case 7:
            // A gap of any length, or up to the next page, where a closing mark may lie.
            let toPage = (segment.count + 4095) / 4096 * 4096
            let byteCount = input.oneIn(4) ? toPage : segment.count + input.choice(256)
            segment += [UInt8](repeating: 0, count: byteCount - segment.count)
        case 8: segment.removeLast(min(segment.count, input.choice(64)))
        case 9: hostileBlock()
        case 10:
            segments.append(segment)
            sequence += input.oneIn(8) ? 2 : 1
            begin(
                baseCommit: input.oneIn(8) ? UInt64(input.byte()) : commit,
                generation: input.oneIn(4) ? UInt64(input.choice(4)) : 0)
        default: frame(bigOperation())
        }
    }

    private mutating func operations() -> [UInt8] {
        var payload: [UInt8] = []
        for _ in 0...input.choice(4) {
            let tree = UInt8(1 + input.choice(3))
            let key = input.bytes(1 + input.choice(6))
            switch input.choice(8) {
            case 0...4: payload += Self.put(tree, key, UInt16(input.choice(4)), input.bytes(Int(input.byte())))
            case 5, 6: payload += Self.remove(tree, key)
            default:
                let (facetCount, placement) = (UInt8(input.choice(20)), UInt8(input.choice(3)))
                let columns: UInt64 = [0, 0, 0x10, 0x5020_3010, 0x30][input.choice(5)]
                payload += Self.declare(tree, facetCount, columns, placement, Array("tree".utf8))
            }
        }
        return payload
    }

    /// A value of which the file holds little, since it compresses.
    private mutating func bigOperation() -> [UInt8] {
        let value = [UInt8](repeating: input.byte(), count: Int(input.number(UInt16.self)))
        return Self.put(UInt8(1 + input.choice(3)), [input.byte()], 0, value)
    }

    private mutating func frame(_ payload: [UInt8], isWatermarkOnly: Bool = false) {
        if !isWatermarkOnly { commit += 1 }
        // Half of the frames say that all before them is on the medium, the others that nothing is.
        let watermark = input.oneIn(2) ? commit - (isWatermarkOnly ? 0 : 1) : 0
        checksum = LogFrame.append(
            payload: payload, commit: commit, watermark: watermark, time: 7, salt: salt, previousChecksum: checksum,
            isWatermarkOnly: isWatermarkOnly, to: &segment)
    }

    /// A frame that a block of any bytes pretends to fill.
    private mutating func hostileBlock() {
        let start = segment.count
        frame(input.bytes(Int(input.byte()) % 120))
        segment.store(UInt32(input.number(UInt16.self)), in: LogFrameField.rawCount, at: start)
        segment.store(LogFrameFormat.compressed, in: LogFrameField.flags, at: start)
        seal(start)
    }

    /// Changes a field of the next frame and seals it again, or does not.
    private mutating func lie() {
        let start = segment.count
        frame(operations())
        let offset = input.choice(64)
        for (index, byte) in input.bytes(1 + input.choice(8)).enumerated() where start + offset + index < segment.count
        {
            segment[start + offset + index] = byte
        }
        if !input.oneIn(4) { seal(start) }
    }

    private mutating func seal(_ start: Int) {
        let stored = Int(segment.load(LogFrameField.storedCount, at: start))
        let body = start + LogFrameFormat.headerByteCount
        guard body + stored <= segment.count else { return }
        checksum = CRC32C.checksum(Array(segment[start...]), before: LogFrameField.checksum)
        checksum = CRC32C.checksum(Array(segment[body..<body + stored]), seed: checksum)
        segment.store(checksum, in: LogFrameField.checksum, at: start)
    }
}

extension LogImage {
    // Operations with whatever is asked for, unlike `OperationEncoder`.

    static func put(_ tree: UInt8, _ key: [UInt8], _ facets: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [1]
        bytes.append(littleEndian: UInt16(key.count))
        bytes.append(littleEndian: facets)
        bytes.append(littleEndian: UInt32(value.count))
        return bytes + [tree] + key + value
    }

    static func remove(_ tree: UInt8, _ key: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [2]
        bytes.append(littleEndian: UInt16(key.count))
        return bytes + [tree] + key
    }

    static func declare(
        _ tree: UInt8, _ facetCount: UInt8, _ columns: UInt64, _ placement: UInt8, _ name: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = [3, facetCount]
        bytes.append(littleEndian: columns)
        bytes.append(placement)
        bytes.append(littleEndian: UInt16(name.count))
        return bytes + [tree] + name
    }
}

extension ByteReader {
    /// True for about one byte in so many; false behind the end.
    mutating func oneIn(_ count: Int) -> Bool { Int(byte()) % count == count - 1 }
}
