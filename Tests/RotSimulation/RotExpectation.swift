/// What a mutated image is, and what must be said of it: worked out from the bytes that differ and from the rules of
/// `Formats/`, without asking the engine.
struct RotExpectation {
    enum Kind: String, CaseIterable, Sendable {
        /// Nothing that is read differs.
        case harmless
        /// What a crash may leave: a torn tail, writes out of order, a creation that did not finish. No flushed commit is
        /// missing.
        case legal
        /// As legal, but flushed commits are missing: they lay above the newest watermark that is left in the store, so
        /// nothing that is left tells this from a torn tail (`Formats/LOG.md`).
        case residual
        case damage
    }

    /// A stretch of a file; of the directory when `file` is empty.
    struct Place: Sendable, CustomStringConvertible {
        let file: String
        let range: Range<Int>

        var description: String { "\(file) \(range)" }
    }

    private(set) var kind = Kind.harmless
    /// Each of these must be named.
    private(set) var required: [Place] = []
    /// Only these may be named; the required ones are among them.
    private(set) var allowed: [Place] = []
    /// What an opening that refuses may name besides.
    private(set) var allowedOfOpening: [Place] = []
    /// The commit a replay ends with.
    private(set) var commit = 0
    /// There is no store to be read.
    private(set) var hasNoStore = false
    /// No snapshot can be read.
    private(set) var cannotOpen = false
    /// The log has a hole: a writer must refuse, a reader must say so or refuse.
    private(set) var isLogCut = false
    /// A superblock may contradict the log.
    private(set) var mayRefuse = false
    /// Entries that hang on damaged bytes.
    private(set) var unreadable: Set<SnapshotMap.EntryName> = []
    /// Whether the log leaves those entries as the snapshot has them.
    private(set) var hasReplay = false
    /// Trees with such entries that the log changes. Where a change meets a damaged page, the tree is refused as a whole, and the
    /// others go on.
    private(set) var treesInDoubt: Set<UInt32> = []

    init(of image: StoreImage, _ shape: StoreShape) {
        let names = image.numbers(of: "snapshot-").map { StoreImage.name("snapshot-", $0) }
        let newestGeneration = Int(image.numbers(of: "snapshot-").last ?? 0)
        guard let newest = names.last else {
            judgeWithoutSnapshot(image)
            return
        }
        guard let map = readable(newest, in: image, shape) ?? fallback(names.dropLast().last, image, shape) else {
            cannotOpen = true
            return
        }
        let requiredOfSnapshot = required
        judgeLog(image, shape, map)
        // Behind a newest snapshot that cannot be read, verify does not look further.
        if map.generation != newestGeneration { required = requiredOfSnapshot }
        if kind != .damage, commit < shape.durableCommit {
            kind = .residual
        } else if kind == .harmless, commit < shape.contents.keys.max() ?? 0 {
            kind = .legal
        }
        noteTreesInDoubt(shape, map)
    }

    private mutating func noteTreesInDoubt(_ shape: StoreShape, _ map: SnapshotMap) {
        guard !unreadable.isEmpty, hasReplay, let old = shape.contents[map.commitNumber] else { return }
        for commit in map.commitNumber + 1...commit {
            for tree in shape.contents[commit]?.trees ?? [] {
                let number = tree.declaration.number
                let was = old.trees.first { $0.declaration.number == number }
                if tree.items != was?.items ?? [] { treesInDoubt.insert(number.rawValue) }
            }
        }
        treesInDoubt.formIntersection(unreadable.map(\.tree))
    }

    private mutating func require(_ file: String, _ range: Range<Int>) {
        kind = .damage
        required.append(Place(file: file, range: range))
        allowed.append(Place(file: file, range: range))
    }

    private mutating func judgeWithoutSnapshot(_ image: StoreImage) {
        let logs = image.numbers(of: "log-")
        if logs.isEmpty || (logs == [1] && image.files[StoreImage.name("log-", 1)]!.count <= 64) {
            // As a crash during the creation leaves it; nothing was ever in it.
            kind = .legal
            hasNoStore = true
        } else {
            require("", 0..<1)
            cannotOpen = true
        }
    }

    // MARK: Snapshot

    /// The map of a snapshot that can be opened, and what of it is damaged; `nil` when it cannot be.
    private mutating func readable(_ name: String, in image: StoreImage, _ shape: StoreShape) -> SnapshotMap? {
        let bytes = image.files[name]!
        guard let map = shape.snapshots[name], let sound = shape.image.files[name], bytes.count == sound.count else {
            require(name, 0..<max(bytes.count + 1, shape.image.files[name]?.count ?? 1))
            return nil
        }
        guard bytes != sound else { return map }
        let size = SnapshotMap.pageByteCount
        let last = bytes.count / size - 1
        let dirty = (0...last).filter { bytes[$0 * size..<($0 + 1) * size] != sound[$0 * size..<($0 + 1) * size] }
        // A superblock and its catalogue serve together, or the other two do.
        let first = 0..<map.headPageCount
        let spare = last + 1 - map.headPageCount..<last + 1
        if dirty.contains(where: first.contains), dirty.contains(where: spare.contains) {
            // Both may be whole, and another store's.
            require(name, 0..<bytes.count)
            required = []
            for log in image.files.keys where log.hasPrefix("log-") { allowed.append(Place(file: log, range: 0..<64)) }
            return nil
        }
        let dirtyPages = Set(dirty.filter { map.pages[$0] != nil })
        for page in dirty {
            let range = page * size..<(page + 1) * size
            if page == 0 || page == last {
                require(name, range)
            } else if first.contains(page) || spare.contains(page) {
                // Where the superblock is damaged as well, its catalogue is not looked for.
                let catalogue = first.contains(page) ? first.dropFirst() : spare.dropLast()
                require(name, catalogue.startIndex * size..<catalogue.endIndex * size)
                if dirty.contains(first.contains(page) ? 0 : last) { required.removeLast() }
            } else if map.pages[page] != nil {
                unreadable.formUnion(map.entries(below: page))
                require(name, range)
                // Below a page that cannot be read nothing is looked at; nor are kept pages then.
                if map.path(to: page).dropFirst().contains(where: dirtyPages.contains) { required.removeLast() }
            } else if page < map.pageCount {
                require(name, range)
                if !dirtyPages.isEmpty { required.removeLast() }
            }
        }
        if dirty.contains(0), Checksum.crc32c(bytes[..<4092]) == UInt32(bytes.number(at: 4092, 4)) {
            mayRefuse = true
            for log in image.files.keys where log.hasPrefix("log-") {
                allowedOfOpening.append(Place(file: log, range: 0..<64))
            }
        }
        for block in map.blocks where bytes[block] != sound[block] {
            unreadable.formUnion(map.entries(inBlock: block))
            require(name, block)
            // Behind a damaged block the next is found by the pages, when they can be read.
            if !dirtyPages.isEmpty { required.removeLast() }
        }
        let padding = map.cold.upperBound..<spare.lowerBound * size
        if bytes[padding] != sound[padding] { require(name, padding) }
        return map
    }

    /// The generation below the newest serves when it is still there.
    private mutating func fallback(_ name: String?, _ image: StoreImage, _ shape: StoreShape) -> SnapshotMap? {
        guard let name, let map = shape.snapshots[name], image.files[name] == shape.image.files[name] else {
            return nil
        }
        mayRefuse = mayRefuse || required.isEmpty
        return map
    }

    // MARK: Log

    private mutating func judgeLog(_ image: StoreImage, _ shape: StoreShape, _ map: SnapshotMap) {
        commit = map.commitNumber
        let store = shape.image.files[shape.snapshotNames.last!]![16..<32]
        var previous: (name: String, reading: LogReading)?
        var expected = map.logSequence
        defer { hasReplay = commit > map.commitNumber }
        for sequence in image.numbers(of: "log-") where sequence >= map.logSequence {
            let name = StoreImage.name("log-", sequence)
            let bytes = image.files[name]!
            let reading = LogReading(bytes).flatMap { $0.store == store && $0.sequence == sequence ? $0 : nil }
            let newest = Int(image.numbers(of: "snapshot-").last ?? 0)
            if let reading, reading.generation > newest, reading.frames.isEmpty {
                // Begun by a load or a rescue. With neither its snapshot nor a frame it is passed by.
                guard image.numbers(of: "log-").last! > sequence else { break }
                allowOthers(behind: expected, image)
                return cut(name, 0..<64)
            }
            guard sequence == expected else {
                allowOthers(behind: expected, image)
                return cut(StoreImage.name("log-", expected), 0..<1)
            }
            expected += 1
            guard let reading else {
                allowOthers(behind: expected, image)
                return cut(name, 0..<64)
            }
            guard reading.generation <= map.generation else {
                return cut(StoreImage.name("snapshot-", UInt64(reading.generation)), 0..<1)
            }
            if let (name, previous) = previous {
                guard previous.lastCommit == reading.baseCommit, previous.lastChecksum == reading.previousChecksum
                else {
                    // Where it is the segment that is another's, the one behind it does not continue it either.
                    let strange = StoreImage.name("log-", sequence)
                    allowed.append(Place(file: strange, range: reading.end..<reading.end + 1))
                    return cut(name, previous.end..<previous.end + 1)
                }
                // The end of a segment that has a successor was proved before that was made.
                if previous.lastStray != nil { require(name, previous.end..<previous.end + 1) }
            } else if reading.baseCommit > commit || Int(reading.previousChecksum) != map.chainValue(of: reading) {
                // The segment behind it does not continue it either.
                allowed.append(Place(file: name, range: reading.end..<reading.end + 1))
                return cut(name, 0..<64)
            }
            commit = max(commit, reading.lastCommit)
            var end = LogReading.headerByteCount
            for frame in reading.frames {
                let gap = min(end, bytes.count)..<frame.start
                if bytes[gap].contains(where: { $0 != 0 }) { require(name, gap) }
                end = frame.end
                let padding = min(frame.bodyEnd, bytes.count)..<min(frame.end, bytes.count)
                // A crash may tear a write there until something proves that it was flushed.
                let isProved =
                    sequence < image.numbers(of: "log-").last!
                    || (!frame.isWatermarkOnly && frame.commit <= reading.watermark)
                if isProved, bytes[padding].contains(where: { $0 != 0 }) { require(name, padding) }
            }
            guard max(reading.watermark, map.commitNumber) <= reading.lastCommit else {
                return cut(name, reading.end..<reading.end + 1)
            }
            previous = (name, reading)
        }
        guard let previous else { return cut(StoreImage.name("log-", expected), 0..<1) }
        if previous.reading.lastStray != nil, kind == .harmless { kind = .legal }
    }

    /// What lies behind a gap may be told as well: it may be what does not belong, or what is missing.
    private mutating func allowOthers(behind sequence: UInt64, _ image: StoreImage) {
        for other in sequence...max(sequence, image.numbers(of: "log-").last! + 1) {
            allowed.append(Place(file: StoreImage.name("log-", other), range: 0..<64))
        }
    }

    private mutating func cut(_ file: String, _ range: Range<Int>) {
        require(file, range)
        isLogCut = true
    }
}
