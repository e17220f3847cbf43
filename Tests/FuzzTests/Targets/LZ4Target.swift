@testable import StorageEngine

extension FuzzTarget {
    /// The first bytes choose a size. What the codec gives is what a decoder written from the description of the format
    /// gives, and what it compresses it decompresses.
    static let lz4 = FuzzTarget(
        name: "lz4", summary: "LZ4 blocks of any bytes, against a plain decoder", byteLimit: 1024
    ) { bytes in
        var reader = ByteReader(bytes)
        let size = Int(reader.number(UInt16.self)) << reader.choice(6)
        let block = reader.remainder()
        try decompress(block, size)
        let reference = plainDecode(block, limit: 1 << 20)
        if let reference { try decompress(block, reference.count) }
        try roundTrip(block)
        if let reference { try roundTrip(reference) }
    }
}

private func decompress(_ block: [UInt8], _ size: Int) throws {
    guard let found = LZ4Block.decompress(block.span.bytes, byteCount: size) else { return }
    let plain = plainDecode(block, limit: size)
    try claim(found == plain, "\(size) bytes differ from those of the plain decoder")
    for count in [1, size / 2, size - 1, size] where (1...size).contains(count) {
        let start = LZ4Block.decompress(block.span.bytes, prefix: count)
        try claim(start == Array(found[..<count]), "the first \(count) bytes are others than those of all \(size)")
    }
    try claim(LZ4Block.decompress(block.span.bytes, prefix: size + 1) == nil, "more than all \(size) bytes come of it")
}

private func roundTrip(_ bytes: [UInt8]) throws {
    let limit = bytes.count + bytes.count / 255 + 16
    guard let compressed = LZ4Block.compress(bytes.span.bytes, into: limit) else {
        return try claim(bytes.isEmpty, "\(bytes.count) bytes do not compress into \(limit)")
    }
    let back = LZ4Block.decompress(compressed.span.bytes, byteCount: bytes.count)
    try claim(back == bytes, "\(bytes.count) bytes do not come back")
}

/// The LZ4 block format, slow and obvious: sequences of literals and a copy of earlier output; the last has no copy.
private func plainDecode(_ block: [UInt8], limit: Int) -> [UInt8]? {
    var output: [UInt8] = []
    var position = 0
    func byte() -> Int? {
        guard position < block.count else { return nil }
        defer { position += 1 }
        return Int(block[position])
    }
    func length(_ start: Int) -> Int? {
        var length = start
        guard start == 15 else { return length }
        while true {
            guard let next = byte() else { return nil }
            length += next
            if next < 255 { return length }
        }
    }
    while let token = byte() {
        guard let literals = length(token >> 4), literals <= block.count - position, output.count + literals <= limit
        else { return nil }
        output += block[position..<position + literals]
        position += literals
        if position == block.count { return output }
        guard let low = byte(), let high = byte(), let extra = length(token & 15) else { return nil }
        let distance = low | high << 8
        guard distance > 0, distance <= output.count, output.count + extra + 4 <= limit else { return nil }
        for _ in 0..<extra + 4 { output.append(output[output.count - distance]) }
    }
    return nil
}
