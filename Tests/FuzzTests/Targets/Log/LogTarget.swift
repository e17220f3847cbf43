@testable import StorageEngine

extension FuzzTarget {
    /// The reader finds the frames and the kind of end that a plain reader finds. An opening holds exactly the commits up to
    /// there or refuses; a writing one leaves a log that needs no second recovery and takes another commit.
    static let log = FuzzTarget(
        name: "log", summary: "log segments, opened to read and to write, against a plain reader", byteLimit: 2048
    ) { bytes in
        var reader = ByteReader(bytes)
        let isRaw = reader.byte() == 255
        let images = isRaw ? [reader.remainder()] : LogImage(store: base.store, input: reader).segments
        var files = base.files
        for (index, image) in images.enumerated() {
            let name = StoreFolder.log(UInt64(index + 1))
            files[name] = image
            try compareScan(image)
            _ = try FileDump.lines(of: StoreFolder.path + "/" + name, fileSystem: StoreFolder.disk([name: image]))
        }
        let expected = expectation(images)
        let isSound = try verify(files, images)
        try openToRead(files, expected)
        try openToWrite(files, expected, isSound: isSound)
    }
}

private let trees = [
    TreeDeclaration(TreeNumber(1), "hot", facetCount: 2), TreeDeclaration(TreeNumber(2), "cold", placement: .cold),
]

/// An empty store without its log.
private let base: (files: [String: [UInt8]], store: StoreIdentifier) = {
    let store = StoreIdentifier(bytes: Array("fuzzing the logs".utf8))
    let disk = StoreFolder.disk([:])
    do {
        _ = try Database.open(
            at: StoreFolder.path, trees: trees,
            options: Options(compaction: .manual, storeIdentifier: store.bytes), fileSystem: disk)
    } catch { fatalError("an empty store is made in memory: \(error)") }
    return (disk.files.filter { $0.key.hasPrefix("snapshot") }, store)
}()

/// A store is refused only where a frame has features that are not known.
private func verify(_ files: [String: [UInt8]], _ images: [[UInt8]]) throws -> Bool {
    do throws(StorageError) {
        return try Verifier.verify(at: StoreFolder.path, fileSystem: StoreFolder.disk(files)).isSound
    } catch {
        guard case .unknownFeatures(_, _, canBeRead: false) = error else { throw error }
        let isRefused = images.contains { image in
            (try? LogSegmentHeader(decoding: image.span.bytes, path: "")) != nil
                && PlainLog(image, snapshotCommit: 0).frames.contains(where: \.isRefused)
        }
        try claim(isRefused, "verify refuses a log without features: \(error)")
        return false
    }
}

private func compareScan(_ image: [UInt8]) throws {
    var reader = LogReader(image, path: "log")
    guard let scan = try? LogScan(&reader, watermark: 0) else { return }
    let plain = PlainLog(image, snapshotCommit: 0)
    try claim(scan.frameCount == plain.frames.count, "\(scan.frameCount) frames, not \(plain.frames.count)")
    try claim(scan.end == plain.end && scan.lastCommit == plain.lastCommit, "the scan ends elsewhere")
    let isSame =
        switch (scan.ending, plain.ending) {
        case (.clean, .clean), (.torn, .torn), (.reordered, .reordered), (.rotten, .rotten): true
        // A file full of false frames is given up.
        case (.rotten(let damage), _): damage.finding.hasSuffix("is no log")
        default: false
        }
    try claim(isSame, "the end is \(scan.ending), the plain reader says \(plain.ending)")
}

/// What an opening must find; `nil` where it must refuse.
private struct Expectation {
    var contents: StoreContents?
    /// A reading opening stops here, a writing one refuses.
    var hasHole = false
}

private func expectation(_ images: [[UInt8]]) -> Expectation {
    var contents = StoreContents()
    var declared = Dictionary(uniqueKeysWithValues: trees.map { ($0.number.rawValue, $0) })
    var commit: UInt64 = 0
    var previous: PlainLog?
    var isBehindUnused = false
    for (index, image) in images.enumerated() {
        let header = try? LogSegmentHeader(decoding: image.span.bytes, path: "")
        guard let header else { return Expectation(contents: nil) }
        let log = PlainLog(image, snapshotCommit: 0)
        // Made for a generation that never came to be: one precedes such segments, and nothing follows them.
        let isUnused = header.generation > 1 && log.frames.isEmpty && header.sequence == UInt64(index + 1)
        if isUnused, isBehindUnused || header.store == base.store {
            isBehindUnused = true
            continue
        }
        if isBehindUnused { return Expectation(contents: contents, hasHole: true) }
        guard header.store == base.store, header.sequence == UInt64(index + 1) else {
            return Expectation(contents: nil)
        }
        // The base snapshot names no chain value; a rescue's would name the snapshot.
        if previous == nil, header.generation == 1 || header.previousChecksum != 0 {
            return Expectation(contents: contents, hasHole: true)
        }
        if let previous,
            (previous.lastCommit, previous.lastChecksum) != (header.baseCommit, UInt64(header.previousChecksum))
        {
            return Expectation(contents: contents, hasHole: true)
        }
        guard header.generation <= 1, header.baseCommit <= commit else {
            return Expectation(contents: contents, hasHole: true)
        }
        for frame in log.frames where !frame.isWatermarkOnly && frame.commit > commit {
            guard let payload = frame.payload, contents.apply(payload, &declared) else {
                return Expectation(contents: nil)
            }
            commit = frame.commit
        }
        if log.ending == .rotten { return Expectation(contents: contents, hasHole: true) }
        previous = log
    }
    return Expectation(contents: contents, hasHole: isBehindUnused && previous == nil)
}

private func openToRead(_ files: [String: [UInt8]], _ expected: Expectation) throws {
    let database: Database
    do throws(StorageError) {
        database = try Database.open(
            at: StoreFolder.path, trees: trees, options: Options(access: .readOnly, compaction: .manual),
            fileSystem: StoreFolder.disk(files))
    } catch {
        return try claim(expected.contents == nil || expected.hasHole, "refused to read: \(error)")
    }
    guard let contents = expected.contents else { return try claim(expected.hasHole, "read what is no log") }
    let found = try StoreContents(of: database.version)
    try claim(found == contents, "read \(found.summary), the log holds \(contents.summary)")
    try claim(
        expected.hasHole == (database.opening.damage != nil), "damage: \(String(describing: database.opening.damage))")
    try claim(database.version.invariantFindings().isEmpty, "the version does not hold together")
}

private func openToWrite(_ files: [String: [UInt8]], _ expected: Expectation, isSound: Bool) throws {
    let disk = StoreFolder.disk(files)
    let opened: StoreOpening.Opened
    do throws(StorageError) {
        opened = try opening(disk).open()
    } catch {
        try claim(!isSound || expected.contents == nil, "verify found nothing, opening does: \(error)")
        switch error {
        case .damaged, .newerFormat, .unknownFeatures: break
        default: throw FuzzFinding("opening says \(error)")
        }
        return try claim(expected.contents == nil || expected.hasHole, "refused to write: \(error)")
    }
    guard let contents = expected.contents, !expected.hasHole else { throw FuzzFinding("wrote behind a hole") }
    try claim(try found(opened) == contents, "the writer found something else")

    let again = try opening(StoreFolder.disk(disk.files)).open()
    try claim(
        again.report.tornByteCount == 0 && again.report.setAsideByteCount == 0, "recovered twice: \(again.report)")
    try claim(try found(again) == contents, "a second opening found something else")

    guard let log = opened.log else { throw FuzzFinding("a writing opening has no log") }
    let mark = LogImage.put(1, [255], 1, [1, 2, 3])
    try log.append([LogWriter.Commit(number: opened.state.commitNumber + 1, payload: mark)])
    try log.flush()
    let marked = try opening(StoreFolder.disk(disk.files)).open()
    var expected = contents
    expected.trees[1, default: [:]][[255]] = .init(bytes: [1, 2, 3], facets: 1)
    try claim(try found(marked) == expected, "the commit after recovery is not there")
}

private func opening(_ fileSystem: any FileSystem) -> StoreOpening {
    StoreOpening(
        files: StoreFolder.names, fileSystem: fileSystem, options: Options(compaction: .manual),
        declared: trees)
}

private func found(_ opened: StoreOpening.Opened) throws -> StoreContents {
    try StoreContents(of: opened.state)
}
