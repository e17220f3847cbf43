import TestSupport
import Testing

@testable import StorageEngine

/// A row of `Formats/damaged/README.md`: damage done to a golden store, and what is to be found of it.
struct DamageCase: Sendable, CustomTestStringConvertible {
    let what: String
    let store: String
    let change: String
    /// The kind of check that fails, `torn`, `refused` or `nothing`.
    let found: String
    /// Such as `snapshot 2`, or `the directory`.
    let file: String
    let page: Int?
    let byte: Int?
    /// With `…` for a checksum.
    let words: String

    var testDescription: String { what }

    static let all: [DamageCase] =
        FormatPage("damaged/README.md")?.tables.flatMap { table in
            table.rows.map { row in
                DamageCase(
                    what: row[0], store: row[1], change: row[2], found: row[3], file: row[4], page: Int(row[5]),
                    byte: Int(row[6]), words: row[7])
            }
        } ?? []

    /// Where the damage is, in the store at `store`.
    func path(in store: String) throws -> String {
        guard file != "the directory" else { return store }
        return try store + "/" + DamagedStore.fileName(file.split(separator: " ").map(String.init))
    }

    /// Whether a finding is in these words.
    func isWorded(_ finding: String) -> Bool {
        let parts = words.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, finding.hasPrefix(first) else { return finding == words }
        var rest = finding.dropFirst(first.count)
        for part in parts.dropFirst() {
            guard rest.prefix(8).allSatisfy(\.isHexDigit), rest.dropFirst(8).hasPrefix(part) else { return false }
            rest = rest.dropFirst(8 + part.count)
        }
        return rest.isEmpty
    }

    /// The store's files, damaged, under the directory `name`.
    func make(_ fileSystem: MemoryFileSystem, _ name: String) throws {
        fileSystem.createDirectory(name)
        var damaged = try DamagedStore(golden: store)
        try damaged.apply(change)
        for (file, bytes) in damaged.files { try fileSystem.replace(name + "/" + file, with: bytes) }
    }
}

/// The files of a golden store, and the steps of `Formats/damaged/README.md` that change them.
struct DamagedStore {
    private(set) var files: [String: [UInt8]] = [:]
    /// The file being changed.
    private var name = ""
    private var bytes: [UInt8] = []
    private let original: [String: [UInt8]]

    init(golden store: String) throws {
        for name in RepositoryFiles.names(in: "Formats/golden/" + store) where !name.hasSuffix(".txt") {
            files[name] = RepositoryFiles.bytes("Formats/golden/\(store)/\(name)")
        }
        original = files
    }

    mutating func apply(_ change: String) throws {
        let parts = change.split(separator: ":", maxSplits: 1).map(String.init)
        name = try Self.fileName(parts[0].split(separator: " ").map(String.init))
        bytes = try #require(files[name], "\(name)")
        for step in try #require(parts.last).split(separator: ";") {
            try apply(step: step.split(separator: " ").map(String.init))
        }
        files[name] = bytes
        if name.isEmpty { files[name] = nil }
    }

    static func fileName(_ words: [String]) throws -> String {
        let number = try #require(words.dropFirst().first.flatMap { UInt64($0) }, "\(words)")
        let digits = String(number, radix: 16)
        return words[0] + "-" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    private mutating func apply(step words: [String]) throws {
        let numbers = words.dropFirst().compactMap { Int($0, radix: 16) }
        switch words[0] {
        case "xor":
            for (index, bits) in numbers.dropFirst().enumerated() { bytes[numbers[0] + index] ^= UInt8(bits) }
        case "set":
            for (index, byte) in numbers.dropFirst().enumerated() { bytes[numbers[0] + index] = UInt8(byte) }
        case "zero":
            for index in 0..<numbers[1] { bytes[numbers[0] + index] = 0 }
        case "swap":
            for index in 0..<numbers[2] { bytes.swapAt(numbers[0] + index, numbers[1] + index) }
        case "cut": bytes.removeLast(bytes.count - numbers[0])
        case "append": bytes += numbers.map { UInt8($0) }
        case "sum": bytes.set(littleEndian: CRC32C.checksum(Array(bytes[numbers[0]..<numbers[1]])), at: numbers[1])
        case "sums", "seal", "seal-page": try seal(words)
        case "seal-block":
            let superblock = try Superblock(alone: DumpedBytes(Array(bytes[..<4096])), path: name)
            let stored = number(bytes, ColdBlockField.storedCount, at: numbers[0])
            sealBlock(at: numbers[0], generation: UInt64(numbers[1]), superblock, stored: stored)
        case "remove":
            files[name] = nil
            name = ""
        case "name":
            files[name] = nil
            name = try Self.fileName(Array(words.dropFirst()))
        case "take":
            let file = try Self.fileName(Array(words.dropFirst(2)))
            bytes = try #require(RepositoryFiles.bytes("Formats/golden/\(words[1])/\(file)"))
        default: Issue.record("there is no step \(words[0])")
        }
    }

    // MARK: Checksums

    private mutating func seal(_ words: [String]) throws {
        let unchanged = try #require(original[name])
        if name.hasPrefix("log-") { return sealLog(unchanged) }
        let fileSystem = MemoryFileSystem()
        try fileSystem.replace(name, with: unchanged)
        let file = try fileSystem.openFile(name, .reading)
        let superblock = try Superblock(decoding: DumpedBytes(Array(unchanged[..<4096])), path: name, file)
        let links = try PageLinks(file, superblock)
        let seal = PageSeal(store: superblock.store, generation: superblock.generation)
        let symbols = superblock.trees.compactMap { superblock.symbols(of: $0.declaration.number) }
        for levels in links.levels + [[symbols.flatMap { [Int($0.page), Int($0.copy)] }]] {
            for page in levels.flatMap({ $0 }) {
                var image = Array(bytes[page * 4096..<(page + 1) * 4096])
                if words[0] == "seal-page" {
                    if Int(words[1]) == page { seal.put(on: &image) }
                } else {
                    sumChildren(of: page, in: unchanged, superblock, &image)
                    if words[0] == "seal" { seal.put(on: &image) }
                }
                bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: image)
            }
        }
        guard words[0] != "seal-page" else { return }
        sealBlocks(unchanged, superblock)
        for index in superblock.trees.indices {
            let tree = 4096 + CatalogueField.start(ofTree: index)
            let root = number(bytes, CatalogueField.rootPage, at: tree)
            if root > 0, let checksum = checksum(ofPage: root) {
                bytes.store(checksum, in: CatalogueField.rootChecksum, at: tree)
            }
        }
        let catalogue = Array(bytes[4096..<superblock.headPageCount * 4096])
        bytes.store(CRC32C.checksum(catalogue), in: SuperblockField.catalogueChecksum)
        bytes.store(CRC32C.checksum(bytes, before: SuperblockField.checksum), in: SuperblockField.checksum)
        bytes.replaceSubrange(
            bytes.count - 4096 - catalogue.count..<bytes.count, with: catalogue + bytes[..<4096])
    }

    /// Where the checksums lie is taken from the page as it was; which page each is of, from the page as it is.
    private func sumChildren(of page: Int, in unchanged: [UInt8], _ superblock: Superblock, _ image: inout [UInt8]) {
        let bytes = DumpedBytes(Array(unchanged[page * 4096..<(page + 1) * 4096]))
        guard let branch = DumpedPage(bytes, superblock), !branch.isLeaf else { return }
        for index in 0..<branch.count {
            let child = UInt32(truncatingIfNeeded: image.load(branch.arrays.children[index])) >> 1
            guard let checksum = checksum(ofPage: Int(child)) else { continue }
            image.store(checksum, in: branch.arrays.checksums[index])
        }
    }

    private func checksum(ofPage page: Int) -> UInt32? {
        guard (1...).contains(page), (page + 1) * 4096 <= bytes.count else { return nil }
        return CRC32C.checksum(Array(bytes[page * 4096..<(page + 1) * 4096]))
    }

    private mutating func sealBlocks(_ unchanged: [UInt8], _ superblock: Superblock) {
        var start = 0
        while start < Int(superblock.coldByteCount) {
            let place = Int(superblock.coldOffset) + start
            let stored = number(unchanged, ColdBlockField.storedCount, at: place)
            sealBlock(at: place, generation: superblock.generation, superblock, stored: stored)
            start += ColdBlock.headerByteCount + stored
        }
    }

    private mutating func sealBlock(at place: Int, generation: UInt64, _ superblock: Superblock, stored: Int) {
        let body = place + ColdBlock.headerByteCount
        var covered = Array(bytes[place..<place + ColdBlockField.checksum.offset])
        covered.append(littleEndian: UInt64(place) - superblock.coldOffset)
        covered += superblock.store.bytes
        covered.append(littleEndian: generation)
        covered += bytes[body..<body + stored]
        bytes.store(CRC32C.checksum(covered), in: ColdBlockField.checksum, at: place)
    }

    /// Each frame names the one before it, so all behind a changed one change.
    private mutating func sealLog(_ unchanged: [UInt8]) {
        bytes.store(CRC32C.checksum(bytes, before: LogSegmentField.checksum), in: LogSegmentField.checksum)
        var start = LogSegmentFormat.headerByteCount
        var previous: (old: Int, new: UInt32)?
        while let found = frameStart(unchanged, from: start) {
            start = found
            if let previous, number(bytes, LogFrameField.previousChecksum, at: start) == previous.old {
                bytes.store(previous.new, in: LogFrameField.previousChecksum, at: start)
            }
            let stored = number(unchanged, LogFrameField.storedCount, at: start)
            let old = number(unchanged, LogFrameField.checksum, at: start)
            let body = start + LogFrameFormat.headerByteCount
            let header = CRC32C.checksum(Array(bytes[start...]), before: LogFrameField.checksum)
            let checksum = CRC32C.checksum(Array(bytes[body..<body + stored]), seed: header)
            bytes.store(checksum, in: LogFrameField.checksum, at: start)
            previous = (old, checksum)
            start += LogFrameFormat.paddedByteCount(stored: stored)
        }
    }

    /// Where the next frame begins: there, or at the next page.
    private func frameStart(_ unchanged: [UInt8], from end: Int) -> Int? {
        [end, LogFrameFormat.markOffset(behind: end)].first { start in
            start + LogFrameFormat.headerByteCount <= unchanged.count
                && unchanged.load(LogFrameField.magic, at: start) == LogFrameFormat.magic
        }
    }

    private func number<Value>(_ bytes: [UInt8], _ field: Field<Value>, at start: Int) -> Int
    where Value: FixedWidthInteger & BitwiseCopyable {
        DumpedBytes(bytes).checked(field, at: start)
    }
}
