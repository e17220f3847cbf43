import Foundation

/// What the machine needs for the least that an operation can do.
struct Floor {
    static let key = "floor"

    let folder: String
    let plan: Plan

    /// Beside the groups whose figures they are the floor of, in the same rounds.
    static let groups: [Group] = [.read, .write, .compact]

    func run(_ group: Group) async throws -> [Measurement] {
        switch group {
        case .read: [Measurement(workload: .firstPage, samples: try await copies())]
        case .write: [Measurement(workload: .insert, samples: try await Self.flushes(in: folder))]
        case .compact: [Measurement(workload: .compaction, samples: try await sequentialWrite())]
        default: []
        }
    }

    /// Some bytes over others that are on the device already, and a flush: neither the file's length nor its blocks change.
    static func flushes(in folder: String) async throws -> [Int] {
        let path = folder + "/floor"
        _ = FileManager.default.createFile(atPath: path, contents: Data(count: 1 << 20))
        let file = open(path, O_RDWR)
        defer {
            close(file)
            unlink(path)
        }
        fsync(file)
        let bytes = [UInt8](repeating: 1, count: 600)
        return await Timing.of(100) { number in
            pwrite(file, bytes, bytes.count, off_t(number * 600)) == bytes.count && fdatasync(file) == 0
        }.samples
    }

    /// Fifty rows that lie one behind the other become values with strings of their own.
    private func copies() async throws -> [Int] {
        var rows: [[UInt8]] = []
        try BookFile(path: Catalogue.titleOrder(folder).path, limit: 50).forEachBatch { books, _ in
            rows += books.map(\.row.bytes)
        }
        let bytes = rows.flatMap { $0 }
        let counts = rows.map(\.count)
        return await Timing.of {
            bytes.withUnsafeBytes { bytes in
                var offset = 0
                var copies: [ListRow] = []
                copies.reserveCapacity(counts.count)
                for count in counts {
                    copies.append(ListRow(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])))
                    offset += count
                }
                blackHole(copies)
            }
        }.samples
    }

    /// As many bytes as BookDB's compacted library has, and a flush.
    private func sequentialWrite() async throws -> [Int] {
        let path = folder + "/floor"
        let block = [UInt8](repeating: 7, count: 1 << 20)
        defer { unlink(path) }
        return await Timing.of(1) { _ in
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            defer { close(file) }
            var rest = plan.storeByteCount
            while rest > 0 {
                guard write(file, block, min(rest, block.count)) > 0 else { return false }
                rest -= block.count
            }
            return fsync(file) == 0
        }.samples
    }
}
