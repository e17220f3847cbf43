@testable import BookDB
@testable import RecordStore
@testable import StorageEngine

/// A small library with a search file, for an input to change: some works as the snapshot has them, some changed since.
struct SearchImage {
    let files: [String: [UInt8]]
    /// Of the search file.
    let name: String
    /// Where the parts of the search file lie, each of them with a few bytes at least.
    let parts: [Range<Int>]

    static let chunkByteCount = 1 << 16
    static let headerByteCount = 4096

    static let made = Task { try await SearchImage() }

    private static let words = [
        "the", "harry", "larry", "harrow", "hobbit", "misère", "misere", "ハリー", "straße", "tolkien", "war", "peace",
        "of", "a", "night", "knight", "война", "мир", "abcdefghij", "1984", "xq", "letters",
    ]

    private static func title(_ index: Int) -> String {
        (0...index % 4).map { words[(index * 7 + $0 * 5) % words.count] }.joined(separator: " ")
    }

    private init() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(
            at: StoreFolder.path, access: .exclusive, fileSystem: fileSystem, device: 1, leastSearchFileRowCount: 0)
        try await store.write { library in
            for index in 0..<70 {
                var work = Work(title: Self.title(index))
                work.subtitle = index % 5 == 0 ? Self.title(index + 3) : nil
                let id = try library.insert(work)
                if let isbn = ISBN(digits: 978_000_000_000_2 + UInt64(index) * 10) {
                    try library.insert(Edition(of: id, isbns: [isbn]))
                }
            }
        }
        try await store.compact()
        let ids = store.snapshot.works.list().map(\.id)
        try await store.write { library in
            for index in [4, 5, 40] {
                guard var work = try library.work(ids[index]) else { continue }
                work.title += " again"
                try library.update(work)
            }
            _ = try library.delete(ids[50])
        }
        try await store.close()
        var files: [String: [UInt8]] = [:]
        for name in try fileSystem.names(inDirectory: StoreFolder.path) {
            let file = try fileSystem.openFile(StoreFolder.path + "/" + name, .reading)
            files[name] = try file.read(byteCount: try file.byteCount(), at: 0)
        }
        guard let (name, bytes) = files.first(where: { $0.key.hasPrefix("search-") }) else {
            throw FuzzFinding("the library has no search file")
        }
        self.files = files
        self.name = name
        parts = Self.parts(of: bytes)
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// As `Formats/SEARCH.md` says, and the header first.
    private static func parts(of bytes: [UInt8]) -> [Range<Int>] {
        let end = headerByteCount + number(bytes, 48, 8)
        let counts = end - SearchFile.countsByteCount
        let (leaves, rows) = (number(bytes, counts + 4, 4), number(bytes, counts + 8, 4))
        let words = number(bytes, counts + 12, 4)
        let byteCounts = [
            number(bytes, counts + 16, 8), 12 * (leaves + 1), 2 * rows, 6656 * 8 * ((leaves + 63) / 64),
            256 * ((words + 63) / 64), 4 * words, 4 * words, words, number(bytes, counts + 24, 8),
            number(bytes, counts + 32, 8),
            SearchFile.countsByteCount,
        ]
        var parts = [0..<64]
        var start = headerByteCount
        for count in byteCounts {
            parts.append(start..<start + count)
            start += count
        }
        return parts
    }

    /// The file with checksums that fit what it holds up to its table, which is made anew.
    static func sealed(_ bytes: [UInt8], bodyByteCount: Int) -> [UInt8] {
        let end = headerByteCount + bodyByteCount
        var sealed = Array(bytes.prefix(end))
        guard sealed.count == end else { return bytes }
        var table: [UInt8] = []
        for start in stride(from: headerByteCount, to: end, by: chunkByteCount) {
            table.append(
                littleEndian: CRC32C.checksum(Array(sealed[start..<min(start + chunkByteCount, end)])))
        }
        sealed.set(littleEndian: UInt64(bodyByteCount), at: 48)
        sealed.set(littleEndian: CRC32C.checksum(table), at: 44)
        sealed.set(littleEndian: CRC32C.checksum(Array(sealed[..<(headerByteCount - 4)])), at: headerByteCount - 4)
        return sealed + table
    }
}
