extension StoreDump {
    /// An entry as the newest commit that can be read left it, and where its bytes lie.
    public struct FoundEntry: Sendable {
        public let value: [UInt8]
        public let facets: UInt16
        /// Such as "page 12, slot 3, byte 51,200 of Library.bookdb/snapshot-…".
        public let place: String
        /// What of the pages that lead to it, or of its block, is not as it was written.
        public let misfits: [String]
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
        var misfits: [String] = []
        var number = Int(record.rootPage)
        for _ in 0...NodeLayout.levelLimit {
            let bytes = try snapshot.page(number)
            let checksum = CRC32C.checksum(bytes.bytes)
            if let link = snapshot.links.links[number], link.checksum != checksum {
                misfits.append(
                    "page \(number) has the checksum \(checksum.hexadecimal), \(link.holder) says "
                        + "\(link.checksum.hexadecimal): what it holds may be wrong")
            }
            guard let page = DumpedPage(bytes, superblock) else {
                let finding = DumpedPage.finding(in: bytes, superblock) ?? ""
                return .unreadable("page \(number) of \(snapshot.path), which leads to it, is damaged: \(finding)")
            }
            if page.isPermuted { return try lookUp(key, inPlacesOf: page, number, snapshot, misfits) }
            if page.isPacked { return try lookUp(key, inPacked: page, number, snapshot, misfits) }
            guard let slot = page.slot(for: key) else {
                return misfits.isEmpty ? .absent : .unreadable(misfits.joined(separator: "; "))
            }
            if page.isLeaf { return try entry(page, slot, number, misfits) }
            number = page.child(slot).page
        }
        return .unreadable("the pages that lead to it in \(snapshot.path) form a ring")
    }

    /// In a leaf with places: the entries with the key's lead, until the rest of one is that of the key.
    private func lookUp(
        _ key: [UInt8], inPlacesOf page: DumpedPage, _ number: Int, _ snapshot: DumpedSnapshot, _ misfits: [String]
    ) throws(StorageError) -> Lookup {
        for index in 0..<page.count {
            let entry = PlacedEntry(index, ofPage: page.bytes.bytes)
            guard key.starts(with: entry.lead) else { continue }
            let bytes = try snapshot.page(Int(entry.homePage))
            guard let home = DumpedPage(bytes, snapshot.superblock), home.isLeaf, home.hasSlots,
                entry.homeIndex < home.count
            else {
                return .unreadable(
                    "page \(entry.homePage) of \(snapshot.path), where the keys of page \(number) end, is damaged")
            }
            guard entry.lead + home.key(entry.homeIndex) == key else { continue }
            return .found(
                FoundEntry(
                    value: entry.value, facets: entry.facets,
                    place: "page \(number), entry \(index), which leads to page \(entry.homePage), slot "
                        + "\(entry.homeIndex), of \(snapshot.path)", misfits: misfits))
        }
        return misfits.isEmpty ? .absent : .unreadable(misfits.joined(separator: "; "))
    }

    private func lookUp(
        _ key: [UInt8], inPacked page: DumpedPage, _ number: Int, _ snapshot: DumpedSnapshot, _ misfits: [String]
    ) throws(StorageError) -> Lookup {
        for index in 0..<page.count {
            let entry = PackedEntry(index, ofPage: page.bytes.bytes)
            guard entry.key == key else { continue }
            let tree = TreeNumber(UInt32(page.bytes.checked(NodeField.tree)))
            let symbols = entry.symbolsPage == 0 ? nil : try snapshot.symbols(on: entry.symbolsPage, of: tree)
            guard let value = entry.value(symbols?.page) else {
                return .unreadable(
                    "page \(entry.symbolsPage) of \(snapshot.path), which holds the symbols of its value, is damaged, and "
                        + "so is its copy")
            }
            return .found(
                FoundEntry(
                    value: value, facets: entry.facets,
                    place: "page \(number), entry \(index), of \(snapshot.path)",
                    misfits: misfits + (symbols?.misfit.map { [$0] } ?? [])))
        }
        return misfits.isEmpty ? .absent : .unreadable(misfits.joined(separator: "; "))
    }

    private func entry(
        _ page: DumpedPage, _ slot: Int, _ number: Int, _ misfits: [String]
    ) throws(StorageError) -> Lookup {
        guard let snapshot else { return .absent }
        let offset = number * NodeLayout.pageByteCount + page.offset(slot)
        let place = "page \(number), slot \(slot), byte \(offset) of \(snapshot.path)"
        switch page.value(slot) {
        case .hot(let value, _):
            return .found(FoundEntry(value: value, facets: page.facets(slot), place: place, misfits: misfits))
        case .cold(let reference): return try value(at: reference, page.facets(slot), place, misfits)
        }
    }

    private func value(
        at reference: ColdReference, _ facets: UInt16, _ place: String, _ misfits: [String]
    ) throws(StorageError) -> Lookup {
        guard let snapshot, let superblock = snapshot.superblock else { return .absent }
        let block = try DumpedColdBlock(snapshot.file, superblock, at: reference.block)
        let range = Int(reference.offset)..<Int(reference.offset) + Int(reference.count)
        guard let decoded = block.decoded, range.upperBound <= decoded.count else {
            return .unreadable(
                "cold block \(reference.block) of \(snapshot.path), which holds it, is damaged: "
                    + (block.finding ?? "the value lies outside its block"))
        }
        return .found(
            FoundEntry(
                value: Array(decoded[range]), facets: facets,
                place: "\(place), and byte \(range.lowerBound) of cold block \(reference.block)",
                misfits: misfits + (block.finding.map { ["cold block \(reference.block): \($0)"] } ?? [])))
    }

    /// What of the log cannot be read, so that later words on a key may be missing.
    public func logMisfits() throws(StorageError) -> [String] {
        var misfits: [String] = []
        for sequence in contents.logs where sequence >= snapshot?.superblock?.logSequence ?? 0 {
            let file = try segment(sequence)
            let segment = try DumpedSegment(file, watermark: snapshotCommit)
            if let finding = segment.finding { misfits.append("\(file.path): \(finding)") }
            if case .rotten(let damage)? = segment.scan?.ending { misfits.append("\(file.path): \(damage.finding)") }
        }
        return misfits
    }

    /// `nil` when the log does not name the key.
    private func lookUpInLog(_ key: [UInt8], _ tree: TreeNumber) throws(StorageError) -> Lookup? {
        var found: Lookup?
        try forEachLoggedOperation(unlessUnreadable: { found = .unreadable($0) }) { (operation, place) in
            guard operation.tree == tree, operation.concerns(key) else { return }
            switch operation.kind {
            case .put(let facets, let value):
                found = .found(FoundEntry(value: value, facets: facets, place: place(), misfits: []))
            case .remove, .clear: found = .absent
            case .declare, .note: break
            }
        }
        return found
    }

    /// Visits what the log behind the snapshot says, in order, as far as it can be read.
    ///
    /// - Parameters:
    ///   - unreadable: is told of a commit of which nobody here can read what it says.
    ///   - body: is given an operation, and the words for where it is.
    func forEachLoggedOperation(
        unlessUnreadable unreadable: (String) -> Void = { _ in },
        _ body: (_ operation: LoggedOperation, _ place: () -> String) -> Void
    ) throws(StorageError) {
        for sequence in contents.logs where sequence >= snapshot?.superblock?.logSequence ?? 0 {
            let file = try segment(sequence)
            var segment = try DumpedSegment(file, watermark: snapshotCommit)
            try segment.forEachFrame { (place, reader) throws(StorageError) in
                guard place.frame.commit > snapshotCommit, !place.frame.isWatermarkOnly else { return }
                guard place.frame.features.incompatible == 0 else {
                    return unreadable(
                        "commit \(place.frame.commit), which may name it, has features that are not known here: byte "
                            + "\(place.frame.start) of \(file.path)")
                }
                guard let operations = try reader.operations(of: place.frame)?.found
                else { return }
                for (index, operation) in operations.enumerated() {
                    body(operation) {
                        "commit \(place.frame.commit), operation \(index), frame at byte \(place.frame.start) of \(file.path)"
                    }
                }
            }
        }
    }
}
