import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A small file beside the log that is no part of the library: checksummed, written as a whole, by a rename and without a flush. What is
/// lost with it can be had again.
///
/// Processes that share a library write it without a lock: each reads what is there, adds what it has to say itself, and renames. What
/// another writes between the two is lost, which takes a fraction of a millisecond.
struct SideFile<Contents: Codable & Sendable>: Sendable {
    let path: String
    /// Eight bytes.
    let magic: String
    let fileSystem: any FileSystem

    /// What is there; `nil` when there is no file, or it is not whole, or of another version.
    func read() -> Contents? {
        guard let file = try? fileSystem.openFile(path, .reading) else { return nil }
        defer { file.close() }
        guard let byteCount = try? file.byteCount(), byteCount <= SideFileFormat.maximumByteCount,
            let bytes = try? file.read(byteCount: byteCount, at: 0),
            let payload = SideFileFormat.payload(of: bytes, magic: magic)
        else { return nil }
        return try? JSONDecoder().decode(Contents.self, from: Data(payload))
    }

    /// The bytes of a file; `nil` for one so large that nobody would read it again.
    func bytes(of contents: Contents) -> [UInt8]? {
        let encoder = JSONEncoder()
        // A slash is a letter of base 64: with a backslash before each, the file could be larger than any that is read.
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let payload = try? encoder.encode(contents),
            payload.count <= SideFileFormat.maximumByteCount - SideFileFormat.headerByteCount
        else { return nil }
        return SideFileFormat.bytes(around: Array(payload), magic: magic)
    }

    /// - Returns: whether that could be done: not with more than anybody would read again.
    func write(_ contents: Contents) -> Bool {
        guard let bytes = bytes(of: contents) else { return false }
        return write(bytes: bytes)
    }

    /// Writes beside what is there, and then in its place.
    ///
    /// - Returns: whether that could be done.
    func write(bytes: [UInt8]) -> Bool {
        // Two processes may write at once.
        let temporary = path + ".\(UInt32.random(in: .min ... .max)).tmp"
        do throws(StorageError) {
            let file = try fileSystem.openFile(temporary, .creating)
            defer { file.close() }
            try file.write(bytes, at: 0)
            try fileSystem.rename(temporary, to: path)
            return true
        } catch {
            try? fileSystem.remove(temporary)
            return false
        }
    }
}

/// Magic, version, length and checksum of the payload, and the payload. `Formats/LAUNCHES.md` draws it.
enum SideFileFormat {
    static let version: UInt32 = 1
    static let headerByteCount = 20
    /// Of a file.
    static let maximumByteCount = 1 << 20

    static func bytes(around payload: [UInt8], magic: String) -> [UInt8] {
        var bytes = Array(magic.utf8)
        for number in [version, UInt32(payload.count), CRC32C.checksum(payload)] {
            bytes.append(littleEndian: number)
        }
        return bytes + payload
    }

    static func payload(of bytes: [UInt8], magic: String) -> ArraySlice<UInt8>? {
        guard bytes.count >= headerByteCount, bytes.starts(with: magic.utf8) else { return nil }
        let numbers = bytes.withBytes { bytes in
            [8, 12, 16].map { bytes.loadLittleEndian(at: $0, as: UInt32.self) }
        }
        let payload = bytes[headerByteCount...]
        guard numbers[0] == version, Int(numbers[1]) == payload.count, numbers[2] == CRC32C.checksum(Array(payload))
        else { return nil }
        return payload
    }
}
