@testable import BookDB
@testable import RecordStore
@testable import StorageEngine

extension FuzzTarget {
    /// Whatever stands in place of a search file, a search ends and tells of works of the library, each once. Bytes whose
    /// checksums do not fit change no answer.
    static let searchFile = FuzzTarget(
        name: "search", summary: "search files, with right checksums and wrong ones: searches", byteLimit: 512,
        check: .later { bytes in
            let image = try await SearchImage.made.value
            var reader = ByteReader(bytes)
            let mode = reader.byte()
            let chosen = (0..<2).map { _ in reader.choice(queries.count) }
            let effort = reader.byte()
            var files = image.files
            let sound = image.files[image.name] ?? []
            let isForged = mode < 160
            files[image.name] = mode == 255 ? reader.remainder() : changed(sound, image, isForged: isForged, &reader)
            let version = try opened(files)
            if files[image.name] == sound {
                try claim(SearchScan(version, .works).file != nil, "the file as it was made is not taken")
            }
            files[image.name] = nil
            let plain = try opened(files)
            for query in chosen {
                try await checkAnswers(to: queries[query], effort, version, isForged ? nil : plain)
            }
        })
}

private let queries = [
    "a", "the", "harry", "hary", "hary tolkein", "of the war", "mis", "ハリー", "9780", "1984", "der night", "nihgt",
    "abcdefghik", "e r", "again", "strasse войн", "qx", "a the of",
]

private func opened(_ files: [String: [UInt8]]) throws -> Version {
    let state = try StoreOpening(
        files: StoreFolder.names, fileSystem: StoreFolder.disk(files),
        options: Options(access: .readOnly, compaction: .manual), declared: []
    ).open().state
    return Version(commitNumber: state.commitNumber, generation: state.generation, trees: state.trees)
}

/// The file with some bytes of its parts changed, put in or left out.
private func changed(_ sound: [UInt8], _ image: SearchImage, isForged: Bool, _ reader: inout ByteReader) -> [UInt8] {
    var bytes = sound
    var bodyByteCount = (image.parts.last?.upperBound ?? 0) - SearchImage.headerByteCount
    var count = 0
    while !reader.isAtEnd, count < 40 {
        count += 1
        let part = image.parts[reader.choice(image.parts.count)]
        let kind = reader.choice(8)
        let place = min(part.lowerBound + Int(reader.number(UInt16.self)) % max(1, part.count), bytes.count)
        let patch = reader.bytes(1 + reader.choice(8))
        switch kind {
        case 0 where isForged:
            bytes.insert(contentsOf: patch, at: place)
            bodyByteCount += patch.count
        case 1 where isForged:
            let removed = place..<min(place + patch.count, bytes.count)
            guard bodyByteCount > removed.count + SearchFile.countsByteCount else { continue }
            bytes.removeSubrange(removed)
            bodyByteCount -= removed.count
        case 2:
            // From the end, where the counts are.
            let offset = (image.parts.last?.upperBound ?? 0) - 1 - place % SearchFile.countsByteCount
            if offset < bytes.count { bytes[offset] = patch.first ?? 0 }
        default:
            for (index, byte) in patch.enumerated() where place + index < bytes.count { bytes[place + index] = byte }
        }
    }
    return isForged ? SearchImage.sealed(bytes, bodyByteCount: bodyByteCount) : bytes
}

/// - Parameter plain: the library without its search file, where the answers must be the same.
private func checkAnswers(to text: String, _ effort: UInt8, _ version: Version, _ plain: Version?) async throws {
    let works = try version.count(in: LibraryTree.title)
    for isRanked in [true, false] {
        var search = WorkSearch(version, SearchQuery(text), effort & 64 == 64 ? .owned : .all, isRanked: isRanked)
        if effort & 128 == 128 {
            search.effort = SearchEffort(
                lineCount: Int(effort & 7), listByteCount: Int(effort >> 3 & 3) * 20, lineCost: Int(effort >> 5 & 1))
        }
        let positions = try search.positions(50)
        try claim(positions.allSatisfy { (0..<works).contains(Int($0)) }, "“\(text)” is found where no work is")
        try claim(Set(positions).count == positions.count, "“\(text)” finds a work twice")
        try claim(isRanked || positions == positions.sorted(), "“\(text)” finds works out of order")
        let count = try await search.count()
        try claim(count <= works * 3, "“\(text)” matches \(count) of \(works) works")
        guard let plain else { continue }
        let other = WorkSearch(plain, SearchQuery(text), search.filter, isRanked: isRanked)
        let (expected, total) = (try other.positions(50), try await other.count())
        try claim(positions == expected, "“\(text)” finds \(positions), not \(expected)")
        try claim(count == total, "“\(text)” matches \(count) works, not \(total)")
    }
}
