import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The last launches of apps with a library, and when their recurring jobs were done: a small file beside the log.
///
/// It is no part of the library: no commit, not flushed, written after the first frame, and without it nothing is lost but the
/// memory of it. `Formats/LAUNCHES.md` draws it.
struct LaunchFile: Sendable {
    struct Contents: Sendable, Equatable, Codable {
        struct Job: Sendable, Equatable, Codable {
            var name: String
            var lastSuccess: Date
        }

        var launches: [LaunchTimes] = []
        var jobs: [Job] = []

        static let launchCount = 20
        /// Those done longest ago go first.
        static let jobCount = 200

        mutating func note(_ launch: LaunchTimes) {
            // One that was noted before it was complete.
            launches.removeAll { $0.date == launch.date }
            launches = Array((launches + [launch]).suffix(Self.launchCount))
        }

        mutating func noteSuccess(of job: String, _ date: Date) {
            jobs.removeAll { $0.name == job }
            jobs = Array((jobs + [Job(name: job, lastSuccess: date)]).suffix(Self.jobCount))
        }
    }

    let path: String
    let fileSystem: any FileSystem

    private static let magic = Array("BDLAUNCH".utf8)
    private static let version: UInt32 = 1
    private static let headerByteCount = 20
    private static let maximumByteCount = 1 << 20

    /// What is there; nothing when there is none, or it is not whole.
    func read() -> Contents {
        guard let file = try? fileSystem.openFile(path, .reading) else { return Contents() }
        defer { file.close() }
        guard let byteCount = try? file.byteCount(), byteCount <= Self.maximumByteCount,
            let bytes = try? file.read(byteCount: byteCount, at: 0), let payload = Self.payload(of: bytes)
        else { return Contents() }
        return (try? JSONDecoder().decode(Contents.self, from: Data(payload))) ?? Contents()
    }

    /// Writes what there is beside the last one, and then in its place.
    func write(_ contents: Contents) {
        guard let payload = try? JSONEncoder().encode(contents) else { return }
        let temporary = path + ".tmp"
        do throws(StorageError) {
            let file = try fileSystem.openFile(temporary, .creating)
            defer { file.close() }
            try file.write(Self.bytes(around: Array(payload)), at: 0)
            try fileSystem.rename(temporary, to: path)
        } catch {
            // Nothing depends on it.
            try? fileSystem.remove(temporary)
        }
    }

    static func bytes(around payload: [UInt8]) -> [UInt8] {
        var bytes = magic
        for number in [version, UInt32(payload.count), CRC32C.checksum(payload)] {
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        }
        return bytes + payload
    }

    static func payload(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.count >= headerByteCount, bytes.starts(with: magic) else { return nil }
        let numbers = stride(from: 8, to: headerByteCount, by: 4).map { offset in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
        }
        let payload = bytes[headerByteCount...]
        guard numbers[0] == version, Int(numbers[1]) == payload.count, numbers[2] == CRC32C.checksum(Array(payload))
        else { return nil }
        return payload
    }
}
