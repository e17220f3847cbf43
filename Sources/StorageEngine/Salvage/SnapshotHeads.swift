/// Which snapshot file a salvage rests on, and what its first and last page say.
struct SnapshotHeads {
    /// `nil` when there is no snapshot file.
    private(set) var file: SalvageFile?
    private(set) var generation: UInt64?
    /// `nil` when neither copy can be read.
    private(set) var superblock: Superblock?
    /// The checksum that the superblock has: of all its bytes, also of those that only a later version knows.
    private(set) var identity: UInt32?
    private(set) var fellBack = false
    private(set) var places: [SalvagedPlace] = []
    /// What unreadable heads hold in the place of the identifier. Right when the pages' seals say so.
    private(set) var likelyIdentifiers: [StoreIdentifier] = []

    /// The newest generation with a readable head, as an opening chooses; without one, the newest.
    init(_ generations: [UInt64], _ files: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) {
        var firstPlaces: [SalvagedPlace]?
        for candidate in generations.reversed().prefix(2) {
            let opened = try SalvageFile(files.snapshot(candidate), fileSystem)
            places = []
            let found = try read(opened, candidate)
            if file == nil || found != nil {
                file = opened
                generation = candidate
            }
            if let found {
                superblock = found
                fellBack = firstPlaces != nil
                places = (firstPlaces ?? []) + places
                return
            }
            firstPlaces = firstPlaces ?? places
        }
        places = firstPlaces ?? []
    }

    /// A copy of the head that can be read.
    private struct Copy {
        let page: Int
        let superblock: Superblock
        let identity: UInt32
    }

    private mutating func read(_ file: SalvageFile, _ generation: UInt64) throws(StorageError) -> Superblock? {
        let pageCount = file.byteCount / NodeLayout.pageByteCount
        var copies: [Copy] = []
        for page in pageCount > 1 ? [0, pageCount - 1] : [0] {
            if let copy = try copy(file, page, generation) { copies.append(copy) }
        }
        guard let believed = try Self.believed(of: copies, file) else { return nil }
        let superblock = believed.superblock
        identity = believed.identity
        for other in copies where other.superblock != superblock {
            note(
                file, other.page * NodeLayout.pageByteCount, NodeLayout.pageByteCount,
                "the superblock differs from the other one, by which the file is read")
        }
        if superblock.fileByteCount != UInt64(file.byteCount) {
            let end = min(file.byteCount, Int(superblock.fileByteCount))
            note(
                file, end, max(0, Int(superblock.fileByteCount) - file.byteCount),
                "the file has \(file.byteCount) bytes, its head says \(superblock.fileByteCount)")
        }
        return superblock
    }

    /// One of the two may be sound and another file's. As by an opening one of the file's length is believed; of two such the one whose roots are in
    /// the file.
    private static func believed(of copies: [Copy], _ file: SalvageFile) throws(StorageError) -> Copy? {
        let fitting = copies.filter { $0.superblock.fileByteCount == UInt64(file.byteCount) }
        for copy in fitting where try hasRoots(of: copy.superblock, file) { return copy }
        return fitting.first ?? copies.first
    }

    private static func hasRoots(of superblock: Superblock, _ file: SalvageFile) throws(StorageError) -> Bool {
        for tree in superblock.trees where tree.rootPage > 0 {
            guard let page = try file.page(Int(tree.rootPage)), CRC32C.checksum(page) == tree.rootChecksum else {
                return false
            }
        }
        return true
    }

    private mutating func copy(
        _ file: SalvageFile, _ page: Int, _ generation: UInt64
    ) throws(StorageError) -> Copy? {
        let byteOffset = page * NodeLayout.pageByteCount
        guard let bytes = try file.page(page) else {
            note(file, byteOffset, NodeLayout.pageByteCount, "the superblock cannot be read")
            return nil
        }
        do throws(StorageError) {
            var superblock = try bytes.withBytes { (bytes) throws(StorageError) in
                try Superblock(decoding: bytes, path: file.path, at: byteOffset)
            }
            if superblock.generation == generation {
                try bytes.withBytes { (bytes) throws(StorageError) in
                    try superblock.readCatalogue(
                        of: bytes, path: file.path, at: byteOffset
                    ) { (place) throws(StorageError) in try file.bytes(place.clamped(to: 0..<file.byteCount)) }
                }
                return Copy(page: page, superblock: superblock, identity: bytes.load(SuperblockField.checksum))
            }
            note(
                file, byteOffset, NodeLayout.pageByteCount,
                "the file holds generation \(superblock.generation), not its name's")
        } catch {
            switch error {
            case .damaged(let damage):
                places.append(SalvagedPlace(.head, damage, byteCount: NodeLayout.pageByteCount))
            case .newerFormat where isSound(bytes), .unknownFeatures: throw error
            default: note(file, byteOffset, NodeLayout.pageByteCount, "the superblock names another format")
            }
        }
        likelyIdentifiers.append(StoreIdentifier(bytes: bytes.load(SuperblockField.store)))
        return nil
    }

    /// A rotten version number looks like a newer format, but for this.
    private func isSound(_ page: [UInt8]) -> Bool {
        page.withBytes { page in
            CRC32C.checksum(page, before: SuperblockField.checksum) == page.load(SuperblockField.checksum)
        }
    }

    private mutating func note(_ file: SalvageFile, _ byteOffset: Int, _ byteCount: Int, _ finding: String) {
        let damage = Damage(
            file: file.path, byteOffset: byteOffset, page: byteOffset / NodeLayout.pageByteCount, finding: finding)
        places.append(SalvagedPlace(.head, damage, byteCount: byteCount))
    }
}
