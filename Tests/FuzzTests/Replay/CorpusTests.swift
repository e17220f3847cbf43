@testable import StorageEngine
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The fuzz targets without a fuzzer: every input that is kept, and some random changes of them. An input is named for what
/// it showed; `seed-` are those the search began with, `reach-` those by which it got to places no other input reaches.
@Suite struct CorpusTests {
    @Test(arguments: FuzzTarget.all.map(\.name))
    func `every input of the corpus keeps what its target claims`(name: String) async throws {
        let target = try #require(FuzzTarget.named(name))
        let corpus = try Corpus(of: name)
        #expect(!corpus.inputs.isEmpty)
        for (file, bytes) in corpus.inputs {
            do { try await target.run(bytes) } catch { Issue.record("\(name)/\(file): \(error)") }
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `random changes of the corpus keep it too`(name: String) async throws {
        let target = try #require(FuzzTarget.named(name))
        let corpus = try Corpus(of: name)
        var generator = SeededGenerator(seed: SeededGenerator.seed(for: "random changes of \(name)"))
        for _ in 0..<target.quickCount {
            let bytes = try #require(corpus.mutated(using: &generator))
            do { try await target.run(bytes) } catch { Issue.record("\(name), input \(bytes): \(error)") }
        }
    }

    @Test func `the pages to change are of every kind a file has, with values in symbols and shared ends among them`() {
        let kinds = Set(PageTemplates.all.map(PageTemplates.kind))
        #expect(kinds.isSuperset(of: NodeLayout.pageKinds + [NodeLayout.symbols]))
        let coded = PageTemplates.all.filter {
            PageTemplates.kind(of: $0) == NodeLayout.packedLeaf && $0.load(PackedField.symbolsPage) > 0
        }
        #expect(!coded.isEmpty)
        let ended = PageTemplates.all.filter { page in
            guard PageTemplates.kind(of: page) == NodeLayout.leaf else { return false }
            let slot = page.load(NodeArrays(capacity: 2, columnCount: 0).slots[1])
            return page.load(NodeLayout.valueWord, at: Int(slot & 0xFFFF)) & 0xC000 == NodeLayout.sharedEnd
        }
        #expect(!ended.isEmpty)
    }
}

extension FuzzTarget {
    /// How many inputs take a second or so in a debug build.
    fileprivate var quickCount: Int {
        switch name {
        case "snapshot", "lines": 10
        case "store", "schema", "backup", "restore", "salvage": 40
        case "log", "search": 100
        default: 300
        }
    }
}

/// The inputs kept for a target.
private struct Corpus {
    private(set) var inputs: [(file: String, bytes: [UInt8])] = []

    init(of target: String) throws {
        let folder =
            #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
            + "/Corpus/" + target
        let directory = try #require(opendir(folder))
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix("."), let file = fopen(folder + "/" + name, "rb") else { continue }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
            inputs.append((name, bytes))
        }
        inputs.sort { $0.file < $1.file }
    }

    /// One input with a few bytes changed, left out, put in, or the beginning of another before them.
    func mutated(using generator: inout SeededGenerator) -> [UInt8]? {
        guard var bytes = generator.pick(inputs)?.bytes, let other = generator.pick(inputs)?.bytes else { return nil }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.insert(.random(in: 0...255, using: &generator), at: place)
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0...8, using: &generator)))
            case 2: bytes = bytes.prefix(place) + other.suffix(Int.random(in: 0...other.count, using: &generator))
            default: if place < bytes.count { bytes[place] = .random(in: 0...255, using: &generator) }
            }
        }
        return bytes
    }
}
