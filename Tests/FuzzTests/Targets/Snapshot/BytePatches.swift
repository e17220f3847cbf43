@testable import StorageEngine

/// Changes that an input asks for in bytes that were sound.
enum BytePatches {
    static func apply(_ input: inout ByteReader, to bytes: inout [UInt8], atMost limit: Int = 40) {
        let pages = bytes.count / NodeLayout.pageByteCount
        guard pages > 0 else { return }
        var count = 0
        while !input.isAtEnd, count < limit {
            count += 1
            let page = input.choice(pages) * NodeLayout.pageByteCount
            switch input.choice(8) {
            case 0...3:
                // Anywhere in the page.
                write(
                    input.bytes(1 + input.choice(8)), page + Int(input.number(UInt16.self)) % NodeLayout.pageByteCount,
                    &bytes)
            case 4, 5:
                // A field of its head, or one of its first slots.
                write(input.bytes(1 + input.choice(8)), page + input.choice(128), &bytes)
            case 6:
                let other = input.choice(pages) * NodeLayout.pageByteCount
                bytes.replaceSubrange(
                    page..<page + NodeLayout.pageByteCount, with: bytes[other..<other + NodeLayout.pageByteCount])
            default:
                // Two words change places.
                let (first, second) = (page + Int(input.byte()) * 8, page + Int(input.byte()) * 8)
                let word = Array(bytes[first..<first + 8])
                write(Array(bytes[second..<second + 8]), first, &bytes)
                write(word, second, &bytes)
            }
        }
    }

    static func write(_ patch: [UInt8], _ offset: Int, _ bytes: inout [UInt8]) {
        for (index, byte) in patch.enumerated() where offset + index < bytes.count { bytes[offset + index] = byte }
    }
}
