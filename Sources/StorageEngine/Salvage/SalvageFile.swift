/// A file of a damaged store, read in pieces: a worn disk refuses some stretches of it and gives the others.
///
/// Nothing is mapped. A stretch of a mapping that cannot be read would end the process.
struct SalvageFile: Sendable {
    let path: String
    let byteCount: Int
    private let file: any File

    /// The kernel reads in pages at least, so a bad sector costs one.
    private static let pieceByteCount = NodeLayout.pageByteCount
    private static let chunkByteCount = 1 << 20

    init(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) {
        self.path = path
        file = try fileSystem.openFile(path, .reading)
        byteCount = try file.byteCount()
    }

    /// `nil` when the file does not hold the whole page, or the disk does not give it.
    func page(_ number: Int) throws(StorageError) -> [UInt8]? {
        try read(number * NodeLayout.pageByteCount, NodeLayout.pageByteCount)
    }

    /// The bytes of a range that lies within the file, with zeros for what the disk does not give.
    func bytes(_ range: Range<Int>) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        while bytes.count < range.count {
            let start = range.lowerBound + bytes.count
            let count = min(Self.chunkByteCount, range.upperBound - start)
            if let chunk = try read(start, count) {
                bytes += chunk
                continue
            }
            for piece in stride(from: start, to: start + count, by: Self.pieceByteCount) {
                let count = min(Self.pieceByteCount, start + count - piece)
                bytes += try read(piece, count) ?? [UInt8](repeating: 0, count: count)
            }
        }
        return bytes
    }

    /// The first stretch that is no hole, at or behind a place.
    func dataExtent(from byteOffset: Int) throws(StorageError) -> Range<Int>? { try file.dataExtent(from: byteOffset) }

    private func read(_ byteOffset: Int, _ count: Int) throws(StorageError) -> [UInt8]? {
        guard byteOffset >= 0, count <= byteCount - byteOffset else { return nil }
        do throws(StorageError) {
            let bytes = try file.read(byteCount: count, at: byteOffset)
            return bytes.count == count ? bytes : nil
        } catch {
            guard case .inputOutput = error else { throw error }
            return nil
        }
    }
}
