extension StoreDump {
    /// An entry as the newest commit that can be read left it, and where its bytes lie.
    public struct FoundEntry: Sendable {
        public let value: [UInt8]
        public let facets: UInt16
        /// Such as "page 12, slot 3, byte 51,200 of Library.bookdb/snapshot-…".
        public let place: String
    }

    public enum Lookup: Sendable {
        case found(FoundEntry)
        /// There is no such key, as far as can be read.
        case absent
        /// Damage lies in the way: a sentence that says where.
        case unreadable(String)
    }

    /// Finds an entry without opening the store. Reads the log once, then a page per level.
    ///
    /// The log's last word on a key counts, and below that the snapshot.
    public func lookUp(_ key: [UInt8], in tree: TreeNumber) throws(StorageError) -> Lookup {
        if let logged = try lookUpInLog(key, tree) { return logged }
        guard let snapshot, let superblock = snapshot.superblock else {
            return .unreadable("no snapshot of the store has a sound superblock")
        }
        guard let record = superblock.trees.first(where: { $0.declaration.number == tree }), record.rootPage != 0 else {
            return .absent
        }
        var number = Int(record.rootPage)
        for _ in 0...NodeLayout.levelLimit {
            let bytes = try snapshot.page(number)
            guard let page = DumpedPage(bytes, superblock) else {
                let finding = DumpedPage.finding(in: bytes, superblock) ?? ""
                return .unreadable("page \(number) of \(snapshot.path), which leads to it, is damaged: \(finding)")
            }
            guard let slot = page.slot(for: key) else { return .absent }
            if page.isLeaf { return try entry(page, slot, number, snapshot, superblock) }
            number = page.child(slot).page
        }
        return .unreadable("the pages that lead to it in \(snapshot.path) form a ring")
    }

    private func entry(
        _ page: DumpedPage, _ slot: Int, _ number: Int, _ snapshot: DumpedSnapshot, _ superblock: Superblock
    ) throws(StorageError) -> Lookup {
        let offset = number * NodeLayout.pageByteCount + page.offset(slot)
        let place = "page \(number), slot \(slot), byte \(offset) of \(snapshot.path)"
        switch page.value(slot) {
        case .hot(let range):
            return .found(
                FoundEntry(value: Array(page.bytes.slice(range)), facets: page.facets(slot), place: place))
        case .cold(let reference):
            let block = try DumpedColdBlock(snapshot.file, superblock, at: reference.block)
            let range = Int(reference.offset)..<Int(reference.offset) + Int(reference.count)
            guard let decoded = block.decoded, range.upperBound <= decoded.count else {
                return .unreadable(
                    "cold block \(reference.block) of \(snapshot.path), which holds it, is damaged: "
                        + (block.finding ?? "the value lies outside its block"))
            }
            return .found(
                FoundEntry(
                    value: Array(decoded[range]), facets: page.facets(slot),
                    place: "\(place), and byte \(range.lowerBound) of cold block \(reference.block)"))
        }
    }

    /// `nil` when the log does not name the key.
    private func lookUpInLog(_ key: [UInt8], _ tree: TreeNumber) throws(StorageError) -> Lookup? {
        var found: Lookup?
        for sequence in contents.logs where sequence >= snapshot?.superblock?.logSequence ?? 0 {
            let path = segmentPath(sequence)
            let segment = DumpedSegment(try self.segment(sequence), path: path, watermark: snapshotCommit)
            for place in segment.frames where place.frame.commit > snapshotCommit {
                guard let operations = segment.operations(of: place)?.found else { continue }
                for (index, operation) in operations.enumerated()
                where operation.tree == tree.rawValue && operation.key == key {
                    switch operation.kind {
                    case .put(let facets, let value):
                        found = .found(
                            FoundEntry(
                                value: value, facets: facets,
                                place:
                                    "commit \(place.frame.commit), operation \(index), byte \(place.byteOffset) of \(path)"
                            ))
                    case .remove: found = .absent
                    case .declare: break
                    }
                }
            }
        }
        return found
    }
}
