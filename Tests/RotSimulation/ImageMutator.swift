import TestSupport

/// Every mutation of a store's image: each byte of what is small, a seeded sample of what is large, all pages and pairs of
/// pages, all frames, all files.
public struct ImageMutator {
    /// How much is tried.
    public struct Density: Sendable {
        /// Byte offsets per section of a file; sections of so many bytes or fewer are tried whole.
        var bytesPerSection: Int
        /// Runs of zeros per file.
        var runsPerFile: Int
        /// Pairs of pages per snapshot.
        var pagePairs: Int

        /// A few seconds in a debug build.
        public static let short = Density(bytesPerSection: 1, runsPerFile: 2, pagePairs: 6)
        /// Every byte of every header, every pair of pages of a small store.
        public static let long = Density(bytesPerSection: 64, runsPerFile: 64, pagePairs: 400)
        /// The same of a large store, whose other bytes and pairs are left to other seeds.
        public static let sampled = Density(bytesPerSection: 6, runsPerFile: 64, pagePairs: 60)
        /// Every byte of the file.
        public static let whole = Density(bytesPerSection: .max, runsPerFile: 256, pagePairs: .max)
    }

    private let shape: StoreShape
    private let density: Density
    private var random: SeededGenerator
    private var mutations: [Mutation] = []

    public static func mutations(of shape: StoreShape, _ density: Density, seed: UInt64) -> [Mutation] {
        var mutator = ImageMutator(shape: shape, density: density, random: SeededGenerator(seed: seed))
        mutator.run()
        return mutator.mutations
    }

    private init(shape: StoreShape, density: Density, random: SeededGenerator) {
        self.shape = shape
        self.density = density
        self.random = random
    }

    private mutating func run() {
        for (name, bytes) in shape.image.files.sorted(by: { $0.key < $1.key }) {
            if let map = shape.snapshots[name] {
                addBytes(name, bytes, map.sections)
                addPages(name, bytes, map)
            } else if name.hasPrefix("log-"), let log = LogReading(bytes) {
                addBytes(name, bytes, sections(of: log, bytes))
                addLogPages(name, bytes, log)
                addFrames(name, bytes, log)
            } else {
                addBytes(name, bytes, [SnapshotMap.Section(name: "other file", range: 0..<bytes.count)])
            }
            addRuns(name, bytes)
            addFile(name, bytes)
        }
        addStrangers()
    }

    private mutating func add(_ kind: String, _ place: String, _ change: Mutation.Change) {
        mutations.append(Mutation(kind: kind, place: place, change: change))
    }

    // MARK: Bytes

    private mutating func addBytes(_ name: String, _ bytes: [UInt8], _ sections: [SnapshotMap.Section]) {
        for section in sections {
            let count = section.range.count
            let isWhole = count <= density.bytesPerSection
            for index in 0..<min(count, density.bytesPerSection) {
                let offset =
                    isWhole ? section.range.lowerBound + index : Int.random(in: section.range, using: &random)
                let place = "\(section.name), \(name) at \(offset)"
                let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
                add("bit flipped", place, .overwrite(file: name, offset: offset, bytes: [bytes[offset] ^ bit]))
                add("byte zeroed", place, .overwrite(file: name, offset: offset, bytes: [0]))
                add("byte set to FF", place, .overwrite(file: name, offset: offset, bytes: [0xFF]))
            }
        }
    }

    private mutating func addRuns(_ name: String, _ bytes: [UInt8]) {
        for byteCount in [8, 512] where bytes.count >= byteCount {
            let places = bytes.count / byteCount
            for index in 0..<min(places, density.runsPerFile) {
                let step = places <= density.runsPerFile ? index : Int.random(in: 0..<places, using: &random)
                let zeros = [UInt8](repeating: 0, count: byteCount)
                add(
                    "\(byteCount) bytes zeroed", "\(name) at \(step * byteCount)",
                    .overwrite(file: name, offset: step * byteCount, bytes: zeros))
            }
        }
    }

    private func sections(of log: LogReading, _ bytes: [UInt8]) -> [SnapshotMap.Section] {
        var sections = [SnapshotMap.Section(name: "segment header", range: 0..<64)]
        var end = LogReading.headerByteCount
        for frame in log.frames {
            let kind = frame.isWatermarkOnly ? "closing mark" : "frame"
            sections.append(.init(name: "gap before a closing mark", range: end..<frame.start))
            end = frame.end
            sections.append(.init(name: "\(kind) header", range: frame.start..<frame.start + 56))
            sections.append(.init(name: "payload", range: frame.start + 56..<frame.bodyEnd))
            sections.append(.init(name: "frame padding", range: frame.bodyEnd..<min(frame.end, bytes.count)))
        }
        sections.append(.init(name: "reserved space", range: min(log.end, bytes.count)..<bytes.count))
        return sections.filter { !$0.range.isEmpty }
    }

    // MARK: Pages

    private mutating func addPages(_ name: String, _ bytes: [UInt8], _ map: SnapshotMap) {
        let size = SnapshotMap.pageByteCount
        let count = bytes.count / size
        func page(_ number: Int, of bytes: [UInt8]) -> [UInt8] { Array(bytes[number * size..<(number + 1) * size]) }
        for number in 0..<count {
            let place = "page \(number) of \(name)"
            let offset = number * size
            let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            add("page zeroed", place, .overwrite(file: name, offset: offset, bytes: [UInt8](repeating: 0, count: size)))
            add("page of garbage", place, .overwrite(file: name, offset: offset, bytes: noise))
            for elder in shape.elders {
                for (elderName, elderBytes) in elder.files.sorted(by: { $0.key < $1.key })
                where elderName.hasPrefix("snapshot-") && elderBytes.count >= offset + size {
                    add(
                        "page of an older generation", "\(place) from \(elderName)",
                        .overwrite(file: name, offset: offset, bytes: page(number, of: elderBytes)))
                }
            }
            if let twin = shape.twin.files[name], twin.count >= offset + size {
                add(
                    "page of another store", place,
                    .overwrite(file: name, offset: offset, bytes: page(number, of: twin)))
            }
        }
        for (first, second) in pairs(count) {
            let ranges = (first * size..<(first + 1) * size, second * size..<(second + 1) * size)
            add("pages swapped", "\(first) and \(second) of \(name)", .swap(file: name, ranges.0, ranges.1))
            add(
                "page replaced by another", "\(first) by \(second) of \(name)",
                .overwrite(file: name, offset: first * size, bytes: page(second, of: bytes)))
            add(
                "page replaced by another", "\(second) by \(first) of \(name)",
                .overwrite(file: name, offset: second * size, bytes: page(first, of: bytes)))
        }
        for number in 0...count {
            for byteCount in [number * size - 1, number * size, number * size + 1] {
                addLength(name, bytes, byteCount)
            }
        }
        if let last = map.blocks.last, map.blocks.count > 1 {
            for block in map.blocks.dropLast() {
                add("cold blocks swapped", "\(block) and \(last) of \(name)", .swap(file: name, block, last))
            }
        }
    }

    /// What a device may do to a log: it loses a page, or never wrote the last change to it.
    private mutating func addLogPages(_ name: String, _ bytes: [UInt8], _ log: LogReading) {
        let size = SnapshotMap.pageByteCount
        func page(_ start: Int, of bytes: [UInt8]) -> [UInt8] {
            let there = bytes.dropFirst(start).prefix(size)
            return there + [UInt8](repeating: 0, count: size - there.count)
        }
        for start in stride(from: 0, to: min(bytes.count, log.end), by: size) {
            let place = "page \(start / size) of \(name)"
            let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            add("page zeroed", place, .overwrite(file: name, offset: start, bytes: page(start, of: [])))
            add("page of garbage", place, .overwrite(file: name, offset: start, bytes: noise))
            for elder in shape.elders.compactMap({ $0.files[name] }) {
                add("page as it was", place, .overwrite(file: name, offset: start, bytes: page(start, of: elder)))
            }
        }
    }

    private mutating func pairs(_ count: Int) -> [(Int, Int)] {
        let all = (0..<count).flatMap { first in (first + 1..<max(count, first + 1)).map { (first, $0) } }
        guard all.count > density.pagePairs else { return all }
        return Array(all.shuffled(using: &random).prefix(density.pagePairs))
    }

    private mutating func addLength(_ name: String, _ bytes: [UInt8], _ byteCount: Int) {
        guard byteCount >= 0, byteCount != bytes.count else { return }
        if byteCount < bytes.count {
            add("file cut", "\(name) to \(byteCount) bytes", .splice(file: name, byteCount..<bytes.count, []))
        } else {
            let zeros = [UInt8](repeating: 0, count: byteCount - bytes.count)
            add(
                "file grown by zeros", "\(name) to \(byteCount) bytes",
                .splice(file: name, bytes.count..<bytes.count, zeros))
        }
    }

    // MARK: Frames

    private mutating func addFrames(_ name: String, _ bytes: [UInt8], _ log: LogReading) {
        let ranges = log.frames.map { $0.start..<min($0.end, bytes.count) }
        for (index, range) in ranges.enumerated() {
            let place = "frame \(index) of \(name)"
            let zeros = [UInt8](repeating: 0, count: range.count)
            add("frame zeroed", place, .splice(file: name, range, zeros))
            add("frame dropped", place, .splice(file: name, range, []))
            // What follows is sound, and lies at odd places.
            let middle = range.lowerBound + 20
            add("three bytes lost", place, .splice(file: name, middle..<middle + 3, []))
            add(
                "frame twice", place,
                .splice(file: name, range.upperBound..<range.upperBound, Array(bytes[range])))
            if index + 1 < ranges.count {
                add("frames swapped", place + " and the next", .swap(file: name, range, ranges[index + 1]))
            }
            for (other, source) in ranges.enumerated() where other != index {
                add(
                    "frame replaced by another", "\(place) by \(other)",
                    .splice(file: name, range, Array(bytes[source])))
            }
            for (kind, image) in shape.elders.map({ ("older", $0) }) + [("another", shape.twin)] {
                for (otherName, otherBytes) in image.files.sorted(by: { $0.key < $1.key }) {
                    guard otherName.hasPrefix("log-"), kind == "another" || otherName != name,
                        let frames = LogReading(otherBytes)?.frames, index < frames.count
                    else { continue }
                    let frame = Array(otherBytes[frames[index].start..<min(frames[index].end, otherBytes.count)])
                    add("frame of \(kind) segment", "\(place) from \(otherName)", .splice(file: name, range, frame))
                }
            }
            for byteCount in [range.lowerBound - 1, range.lowerBound, range.lowerBound + 1, range.upperBound - 1] {
                addLength(name, bytes, byteCount)
            }
        }
        for byteCount in [0, 1, 63, log.end, log.end + 1, bytes.count - 1] { addLength(name, bytes, byteCount) }
        if let first = ranges.first {
            add("old frame at the end", name, .splice(file: name, bytes.count..<bytes.count, Array(bytes[first])))
            add("old frame behind the end", name, .overwrite(file: name, offset: log.end, bytes: Array(bytes[first])))
        }
    }

    // MARK: Files

    private mutating func addFile(_ name: String, _ bytes: [UInt8]) {
        add("file deleted", name, .delete(file: name))
        add("file emptied", name, .put(file: name, []))
        for byteCount in [1, 8, 4096] {
            addLength(name, bytes, bytes.count + byteCount)
            let noise = (0..<byteCount).map { _ in UInt8.random(in: 1...255, using: &random) }
            add(
                "file grown by garbage", "\(name) by \(byteCount)",
                .splice(file: name, bytes.count..<bytes.count, noise))
        }
        if bytes.count >= 4096 {
            add(
                "file grown by its last page", name,
                .splice(file: name, bytes.count..<bytes.count, Array(bytes.suffix(4096))))
        }
        for prefix in ["snapshot-", "log-"] {
            guard let number = StoreImage.number(of: name, prefix) else { continue }
            for other in [number - 1, number + 1, number + 7] {
                add("file renamed", "\(name) to \(other)", .rename(file: name, to: StoreImage.name(prefix, other)))
            }
            for elder in shape.elders {
                for (elderName, elderBytes) in elder.files.sorted(by: { $0.key < $1.key })
                where elderName.hasPrefix(prefix) {
                    add("file replaced by an older one", "\(name) by \(elderName)", .put(file: name, elderBytes))
                }
            }
            if let twin = shape.twin.files[name] {
                add("file of another store", name, .put(file: name, twin))
            }
        }
        guard name.hasPrefix("log-") else { return }
        // With the same snapshots a sibling's log makes of the store that sibling, as a copy of all its files would.
        let snapshots = shape.snapshotNames.map { shape.image.files[$0] }
        if let sibling = shape.sibling.files[name], snapshots != shape.snapshotNames.map({ shape.sibling.files[$0] }) {
            add("log of a sibling copy", name, .put(file: name, sibling))
        }
        for byteCount in [3 << 30, 40 << 30] {
            add("a length that is a lie", "\(name), \(byteCount) bytes", .lengthen(file: name, byteCount: byteCount))
        }
    }

    private mutating func addStrangers() {
        let garbage = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let names = [
            "notes.txt", "snapshot-zz", "snapshot-000000000000000g", "log-1", "aside-x",
            StoreImage.name("log-", 40), StoreImage.name("snapshot-", 40), StoreImage.name("log-", 0),
            StoreImage.name("snapshot-", 40) + ".tmp", StoreImage.name("log-", 2) + ".tmp",
        ]
        for name in names where shape.image.files[name] == nil {
            add("foreign file", name, .put(file: name, garbage))
            add("empty foreign file", name, .put(file: name, []))
        }
        for elder in shape.elders {
            for (name, bytes) in elder.files.sorted(by: { $0.key < $1.key }) where shape.image.files[name] == nil {
                add("older file back", name, .put(file: name, bytes))
            }
        }
    }
}
