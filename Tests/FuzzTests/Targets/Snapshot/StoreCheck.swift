@testable import StorageEngine

/// Asks everything that can be asked of an opened store, changes it, and compacts it before and after.
struct StoreCheck {
    let state: WriteState
    /// Verify found nothing, so nothing else may.
    let isSound: Bool
    /// The segment behind the snapshot.
    let log: [UInt8]

    private var superblock: Superblock { state.generation.file.superblock }

    private var version: Version { state.version() }

    func run(_ edits: inout ByteReader) throws {
        let original = version
        guard !edits.isAtEnd else {
            return try compact(original, holding: try read(original))
        }
        let before = try damageOnly { try StoreContents(of: original) }
        guard let after = try edit(before, &edits) else { return }
        let findings = version.invariantFindings()
        try claim(!isSound || findings.isEmpty, "after the changes: \(findings)")
        let found = try damageOnly { try StoreContents(of: version) }
        try claim(!isSound || found == after, "the changes left \(found?.summary ?? "damage"), not \(after.summary)")
        let again = try damageOnly { try StoreContents(of: original) }
        try claim(again == before, "changes show in a version made before them")
        try compact(version, holding: found)
    }

    /// Only damage may keep something from being read, and none may where verify found none.
    private func damageOnly<Result>(_ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch let error as StorageError {
            guard case .damaged = error else { throw FuzzFinding("reading says \(error)") }
            try claim(!isSound, "verify found nothing, reading does: \(error)")
            return nil
        }
    }

    // MARK: Reading

    /// `nil` when there is damage.
    private func read(_ version: Version) throws -> StoreContents? {
        var contents: StoreContents? = StoreContents()
        for declaration in version.declarations {
            let tree = declaration.number
            guard let entries = try damageOnly({ try read(version, tree) }) else {
                contents = nil
                continue
            }
            contents?.trees[tree.rawValue] = Dictionary(entries) { $1 }
            for facet in 0..<declaration.facetCount {
                let members = entries.filter { $0.1.facets >> UInt16(facet) & 1 == 1 }
                _ = try damageOnly { try readFacet(version, tree, Facet(facet), members.map(\.0)) }
            }
            _ = try damageOnly { try readByKey(version, tree, entries) }
        }
        return contents
    }

    private typealias Entries = [([UInt8], StoreContents.Value)]

    private func read(_ version: Version, _ tree: TreeNumber) throws -> Entries {
        var entries: Entries = []
        var failure: StorageError?
        let count = try version.count(in: tree)
        // Ten bytes are the least that an entry takes.
        let limit = Int(superblock.fileByteCount) / 8 + 1000
        try claim(count <= limit, "\(count) entries in a file of \(superblock.fileByteCount) bytes")
        try version.forEachEntry(in: tree, positions: 0..<count) { entry in
            do throws(StorageError) {
                let value = try entry.withValue { $0.copyBytes(0..<$0.byteCount) }
                _ = try entry.trailingInteger
                entries.append(
                    (
                        try entry.withKey { $0.copyBytes(0..<$0.byteCount) },
                        StoreContents.Value(bytes: value, facets: entry.facets.rawValue)
                    ))
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        try claim(!isSound || entries.count == count, "\(entries.count) of \(count) entries")
        return entries
    }

    private func readFacet(
        _ version: Version, _ tree: TreeNumber, _ facet: Facet, _ members: [[UInt8]]
    ) throws {
        let count = try version.count(in: tree, facet: facet)
        var found: [[UInt8]] = []
        try version.forEachEntry(in: tree, facet: facet, positions: 0..<count) { (entry) throws(StorageError) in
            found.append(try entry.withKey { $0.copyBytes(0..<$0.byteCount) })
            return found.count <= members.count
        }
        try claim(!isSound || (found == members && count == members.count), "\(count) of a facet, not \(members.count)")
    }

    private func readByKey(_ version: Version, _ tree: TreeNumber, _ entries: Entries) throws {
        for position in stride(from: 0, to: entries.count, by: max(1, entries.count / 6)) {
            let (key, value) = entries[position]
            let rank = try version.lowerBound(of: key, in: tree)
            let found = try version.value(forKey: key, in: tree) { $0.copyBytes(0..<$0.byteCount) }
            let selected = try version.entry(at: position, in: tree)?.withKey { $0.copyBytes(0..<$0.byteCount) }
            try claim(
                !isSound || (rank == position && found == value.bytes && selected == key),
                "entry \(position) is found at \(rank)")
            let prefix = Array(key.prefix(key.count / 2))
            var inPrefix = 0
            try version.scan(tree, prefix: prefix) { _, _ in
                inPrefix += 1
                return inPrefix <= entries.count
            }
            try claim(
                !isSound || inPrefix == entries.count { $0.0.starts(with: prefix) }, "\(inPrefix) entries with a prefix"
            )
        }
        var reversed: [[UInt8]] = []
        try version.scan(tree, descending: true) { key, _ in
            reversed.append(key.copyBytes(0..<key.byteCount))
            return reversed.count <= entries.count
        }
        try claim(!isSound || reversed == entries.reversed().map(\.0), "backwards there is something else")
    }

    // MARK: Changing

    /// What the store must hold then; `nil` when a change met damage, and was taken back.
    private func edit(_ contents: StoreContents?, _ edits: inout ByteReader) throws -> StoreContents? {
        let (commit, trees) = (state.commitNumber, state.trees)
        var contents = contents ?? StoreContents()
        state.begin()
        do {
            while !edits.isAtEnd { try change(&contents, &edits) }
            state.seal()
            return contents
        } catch let error as StorageError {
            state.rollBack(to: commit, trees)
            guard case .damaged = error else { throw FuzzFinding("changing says \(error)") }
            try claim(!isSound, "verify found nothing, changing does: \(error)")
            return nil
        }
    }

    private func change(_ contents: inout StoreContents, _ edits: inout ByteReader) throws {
        guard !state.trees.declarations.isEmpty else { return edits = ByteReader([]) }
        let declaration = state.trees.declarations[edits.choice(state.trees.declarations.count)]
        let tree = declaration.number
        let kind = edits.byte()
        let known = contents.trees[tree.rawValue, default: [:]].keys.sorted { $0.lexicographicallyPrecedes($1) }
        var key = edits.bytes(1 + edits.choice(4))
        if kind & 1 == 1, !known.isEmpty { key = known[Int(key.first ?? 0) % known.count] }
        if kind & 2 == 2 { key += [UInt8](repeating: key.last ?? 0, count: edits.choice(200)) }
        key = Array(key.prefix(Limits.keyByteCount.upperBound))
        if key.isEmpty { key = [0] }
        if kind & 12 == 12 {
            let wasThere = try state.remove(key: key.span.bytes, tree: tree)
            let isKnown = contents.trees[tree.rawValue]?.removeValue(forKey: key) != nil
            try claim(!isSound || wasThere == isKnown, "a removal found what is not there")
            return
        }
        let byteCount = edits.choice(256) * (kind & 16 == 16 ? 20 : 1)
        let limit = declaration.columns.amountCount > 0 ? Limits.hotValueByteCount : byteCount
        let value = [UInt8](repeating: kind, count: min(byteCount, limit))
        let facets = declaration.facetCount == 0 ? 0 : UInt16(1) << UInt16(edits.choice(declaration.facetCount))
        // Several of a kind, so that leaves and branches split.
        for index in 0..<(kind & 32 == 32 ? 40 : 1) {
            let numbered = index == 0 ? key : Array((key + [UInt8(index)]).suffix(Limits.keyByteCount.upperBound))
            try state.put(key: numbered.span.bytes, value: value.span.bytes, facets: facets, tree: tree)
            contents.trees[tree.rawValue, default: [:]][numbered] = .init(bytes: value, facets: facets)
        }
    }

    // MARK: Compacting

    /// A compaction says what is damaged, or writes a sound file of the same entries.
    private func compact(_ version: Version, holding contents: StoreContents?) throws {
        let disk = StoreFolder.disk([:])
        let files = StoreFolder.names
        let generation = superblock.generation + 1
        let build = SnapshotBuild(
            version: version, generation: generation, logSequence: superblock.logSequence, files: files,
            fileSystem: disk
        ) { (_) throws(StorageError) in }
        guard try damageOnly({ try build.write() }) != nil else {
            let left = disk.files.keys
            return try claim(left.isEmpty, "a compaction that failed leaves \(left)")
        }
        try disk.rename(files.temporarySnapshot(generation), to: files.snapshot(generation))
        let log = LogSegmentHeader(
            store: superblock.store, sequence: superblock.logSequence, baseCommit: version.commitNumber,
            previousChecksum: 0)
        try disk.openFile(files.log(superblock.logSequence), .creating).write(log.encoded(), at: 0)
        let report = try Verifier.verify(at: StoreFolder.path, fileSystem: disk)
        try claim(report.isSound, "compaction wrote a damaged file: \(report.damage) \(report.treeFindings)")
        let compacted = try StoreOpening(
            files: files, fileSystem: disk, options: Options(access: .readOnly, compaction: .manual), declared: []
        ).open().state
        let found = try StoreContents(of: compacted)
        if let contents { try claim(found == contents, "compacted to \(found.summary), not \(contents.summary)") }
    }
}
