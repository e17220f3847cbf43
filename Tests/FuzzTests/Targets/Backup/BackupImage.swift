@testable import StorageEngine

/// A small store, and backups of it, made for an input to change: two snapshots, the log between them in several stretches, and behind the second.
struct BackupImage: Sendable {
    /// The store as it went on.
    let store: [String: [UInt8]]
    /// What the store held at each of its commits.
    let contents: [UInt64: StoreContents]
    let lastCommit: UInt64
    /// The parts, in the order of the manifest.
    let parts: [[UInt8]]
    /// Of a backup that is a directory.
    let manifest: BackupManifest

    /// Made once.
    static var made: BackupImage {
        get async throws { try await making.value }
    }

    private static let making = Task { try await make() }
    private static let directory = "Backup"

    private static func make() async throws -> BackupImage {
        let disk = MemoryFileSystem()
        let trees = [
            TreeDeclaration(
                TreeNumber(1), "numbers", facetCount: 2, columns: [.sum(amount: 0), .fingerprint, .hashSum]),
            TreeDeclaration(TreeNumber(2), "texts", placement: .cold),
        ]
        let database = try Database.open(
            at: StoreFolder.path, trees: trees,
            options: Options(compaction: .manual, storeIdentifier: SnapshotImage.store.bytes), fileSystem: disk)
        var contents: [UInt64: StoreContents] = [:]
        func note() throws { contents[database.version.commitNumber] = try StoreContents(of: database.version) }
        func put(_ numbers: Range<UInt64>) async throws {
            try await database.write { transaction in
                for number in numbers {
                    try transaction.put(
                        [UInt8](repeating: UInt8(number), count: 8 + Int(number % 3) * 8), forKey: number,
                        facets: FacetSet(rawValue: UInt16(number % 4)), in: TreeNumber(1))
                    try transaction.put(Array("text \(number) text".utf8), forKey: number, in: TreeNumber(2))
                }
                if let first = numbers.first, first > 10 { _ = try transaction.remove(first / 2, in: TreeNumber(1)) }
            }
            try note()
        }
        func backUp() async throws { _ = try await database.backup(to: directory) }
        try note()
        for start in [0, 40, 80] as [UInt64] { try await put(start..<start + 40) }
        try await backUp()
        try await put(120..<130)
        try await backUp()
        try await database.compact()
        for start in [130, 140] as [UInt64] { try await put(start..<start + 10) }
        try await backUp()
        try await put(150..<160)
        let lastCommit = database.version.commitNumber
        try await database.close()
        let manifest = try BackupManifest.read(inDirectory: directory, disk)
        return BackupImage(
            store: try StoreFolder.files(in: StoreFolder.path, on: disk), contents: contents, lastCommit: lastCommit,
            parts: try manifest.parts.map { try StoreFolder.bytes(of: directory + "/" + $0.name, on: disk) },
            manifest: manifest)
    }
}
