import RecordStore
import StorageEngine

/// The authors that a load has brought, for works that name them: nothing can be read of a load before it ends.
///
/// They are kept as records, which take less memory than authors do. Those that were met lately are kept as authors, too.
struct AuthorsOfLoad {
    private var chunks: [Chunk] = []
    private var recent: [ID<Author>: Author] = [:]

    private static let recentCount = 4096

    /// Some authors in a row: an array for all of them would be copied whenever it grows, and has room for twice as many.
    private struct Chunk {
        let first: UInt64
        /// How far each identifier is from the first.
        private(set) var distances: [UInt32] = []
        /// Where the record of each ends.
        private var ends: [UInt32] = []
        private var records: [UInt8] = []

        private static let authorCount = 4096
        private static let byteCount = 128 << 10

        init(first: UInt64) {
            self.first = first
            distances.reserveCapacity(Self.authorCount)
            ends.reserveCapacity(Self.authorCount)
            records.reserveCapacity(Self.byteCount)
        }

        func hasRoom(for identifier: UInt64, _ record: [UInt8]) -> Bool {
            distances.count < Self.authorCount && records.count + record.count <= Self.byteCount
                && identifier - first <= UInt32.max
        }

        mutating func append(_ identifier: UInt64, _ record: [UInt8]) {
            distances.append(UInt32(identifier - first))
            records += record
            ends.append(UInt32(records.count))
        }

        func author(_ id: ID<Author>) throws(RecordProblem) -> Author? {
            let distance = id.rawValue - first
            let index = distances.indices.partitionPoint { distances[$0] < distance }
            guard index < distances.count, distances[index] == distance else { return nil }
            let record = (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
            return try records.withBytes { (bytes) throws(RecordProblem) in
                try Author.decode(bytes.extracting(record), id: id)
            }
        }
    }

    /// Precondition: its identifier is behind those of all before.
    mutating func append(_ author: Author, _ record: [UInt8]) {
        let identifier = author.id.rawValue
        if chunks.last?.hasRoom(for: identifier, record) != true { chunks.append(Chunk(first: identifier)) }
        chunks[chunks.count - 1].append(identifier, record)
        remember(author)
    }

    /// Keeps one for a while, of the load or of the library.
    mutating func remember(_ author: Author) {
        if recent.count >= Self.recentCount { recent.removeAll(keepingCapacity: true) }
        recent[author.id] = author
    }

    /// `nil` for one that the load has not brought, unless it was met lately.
    mutating func author(_ id: ID<Author>) throws(RecordProblem) -> Author? {
        if let author = recent[id] { return author }
        let index = chunks.indices.partitionPoint { chunks[$0].first <= id.rawValue }
        guard index > 0, let author = try chunks[index - 1].author(id) else { return nil }
        remember(author)
        return author
    }
}
