import StorageEngine
import TestSupport
import Testing

/// Two readers that share no line, the engine and `Formats/reader.py`, read the same from the same files.
@Suite(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"))
struct PythonReaderTests {
    static let stores = ["small", "branches", "empty", "library", "symbols"].map { "Formats/golden/" + $0 }
    /// Libraries that earlier versions wrote.
    static let frozen = RepositoryFiles.names(in: "Formats/frozen").filter { !$0.contains(".md") }.map {
        "Formats/frozen/\($0)/library"
    }
    static let files = stores.flatMap { store in
        RepositoryFiles.names(in: store).filter { !$0.hasSuffix(".txt") }.map { store + "/" + $0 }
    }

    @Test(arguments: files)
    func `both dumps of a golden file are the same`(path: String) throws {
        let run = try PythonReader(["dump", path])
        let dump = try FileDump.lines(of: RepositoryFiles.root + "/" + path)
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.output == dump.joined(separator: "\n") + "\n")
    }

    @Test(arguments: stores + frozen)
    func `both readers find the same entries in a golden store`(store: String) throws {
        let run = try PythonReader(["list", store])
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.output == (try entries(of: store)))
    }

    @Test func `the reader finds the golden stores sound`() throws {
        let stores = Self.stores + Self.frozen
        let run = try PythonReader(["verify"] + stores)
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.output == stores.map { "\($0) is sound\n" }.joined())
    }

    @Test func `the reader explains itself and refuses what is no store`() throws {
        let help = try PythonReader(["--help"])
        #expect(help.status == 0)
        for command in ["verify STORE", "list STORE", "dump FILE"] { #expect(help.output.contains(command)) }
        #expect(try PythonReader(["list", "Formats"]).status == 65)
        #expect(try PythonReader(["dump", "Formats/none"]).status == 66)
        #expect(try PythonReader(["frobnicate"]).status == 64)
    }

    /// As the reader prints them: tree, key, facets and value in hexadecimal.
    private func entries(of store: String) throws -> String {
        let database = try Database.open(
            at: RepositoryFiles.root + "/" + store, trees: [], options: Options(access: .readOnly))
        var lines = ""
        for tree in database.version.declarations.map(\.number).sorted() {
            let count = try database.version.count(in: tree)
            try database.version.forEachEntry(in: tree, positions: 0..<count) { (entry) throws(StorageError) in
                let value = try? entry.withValue { hexadecimal($0.copyBytes(0..<$0.byteCount)) }
                let key = try entry.withKey { hexadecimal($0.copyBytes(0..<$0.byteCount)) }
                let facets = String(entry.facets.rawValue, radix: 16)
                lines += "\(tree.rawValue)\t\(key)\t\(facets)\t\(value ?? "damaged")\n"
                return true
            }
        }
        return lines
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
