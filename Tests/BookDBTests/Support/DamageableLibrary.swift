import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// A library in memory whose files a test changes byte by byte.
struct DamageableLibrary {
    static let path = "Library.bookdb"

    let fileSystem: MemoryFileSystem

    /// Works with everything that can be lost: a subject, a description, an edition or two, and for every third an entry
    /// with notes. Works 1 and 2 of each ten share an author, work 5 has two. Long fields give trees of several pages to few
    /// works. Compacted, so that all of it lies in pages.
    static func make(works: Int) async throws -> DamageableLibrary {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem, device: 1)
        let padding = String(repeating: ".", count: 250)
        try await store.write { library in
            var author = ID<Author>.unassigned
            for number in 0..<works {
                let digits = String(10_000 + number).dropFirst()
                if number % 10 != 2 { author = try library.insert(Author("Author \(digits)")) }
                var work = Work("Book \(digits)", by: author)
                if number % 10 == 5 { try work.authors.append(library.insert(Author("Second, \(digits)"))) }
                work.subtitle = "Subtitle \(digits)"
                // In the record and nowhere else.
                work.subjects = ["Subject \(digits)" + padding]
                work.coverURL = "https://covers.example/\(digits)" + padding.prefix(100)
                work.firstPublicationYear = 1900 + number % 100
                work.description = "About book \(digits), in more words than fit beside a key in a page of a tree."
                let id = try library.insert(work)
                try library.insert(
                    Edition(
                        of: id, publisher: "Publisher \(digits)" + padding,
                        identifiers: number.isMultiple(of: 2)
                            ? [SourceIdentifier(source: "goodreads", value: "\(number)")] : []))
                if number.isMultiple(of: 3) { try library.set(.full(for: id)) }
            }
        }
        try await store.compact()
        try await store.close()
        return DamageableLibrary(fileSystem: fileSystem)
    }

    /// The same files once more.
    func copy() throws -> DamageableLibrary {
        let copy = MemoryFileSystem()
        copy.createDirectory(Self.path)
        for name in try fileSystem.names(inDirectory: Self.path) {
            let target = try copy.openFile("\(Self.path)/\(name)", .creating)
            try write(bytes(of: "\(Self.path)/\(name)"), to: target)
        }
        return DamageableLibrary(fileSystem: copy)
    }

    // MARK: Files

    var snapshotPath: String {
        get throws { try newest("snapshot-") }
    }

    var logPath: String {
        get throws { try newest("log-") }
    }

    private func newest(_ prefix: String) throws -> String {
        let names = try fileSystem.names(inDirectory: Self.path).filter { $0.hasPrefix(prefix) }
        return try "\(Self.path)/\(#require(names.max()))"
    }

    func bytes(of path: String) throws -> [UInt8] {
        let file = try fileSystem.openFile(path, .reading)
        var bytes = [UInt8](repeating: 0, count: try file.byteCount())
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    func replace(_ path: String, with bytes: [UInt8]) throws {
        try write(bytes, to: fileSystem.openFile(path, .creating))
    }

    private func write(_ bytes: [UInt8], to file: any File) throws {
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }

    /// Flips a bit of a file; a second time puts it back.
    func flip(_ byteOffset: Int, of path: String, mask: UInt8 = 1) throws {
        let file = try fileSystem.openFile(path, .writing)
        let byte = [try bytes(of: path)[byteOffset] ^ mask]
        try byte.withUnsafeBytes { try file.write($0, at: byteOffset) }
    }

    /// Flips a bit of a page that is in use.
    func flip(page: Int) throws { try flip(page * 4096 + 33, of: snapshotPath) }

    /// Flips a bit in the first occurrence of a text in the snapshot.
    func flip(_ text: String) throws {
        let bytes = try bytes(of: snapshotPath)
        let pattern = Array(text.utf8)
        let found = (0..<bytes.count - pattern.count).first { bytes[$0..<$0 + pattern.count].elementsEqual(pattern) }
        try flip(#require(found), of: snapshotPath)
    }

    // MARK: Library

    func open(_ access: BookStore.Access = .readWrite) throws -> BookStore {
        try BookStore(at: Self.path, access: access, fileSystem: fileSystem)
    }

    func verify() throws -> LibraryVerification { try BookStore.verify(at: Self.path, fileSystem: fileSystem) }

    /// Repairs it, and gives the new library with what was told of it.
    func repaired(at output: String = "Saved.bookdb") async throws -> (store: BookStore, report: RepairReport) {
        let report = try await BookStore.repair(at: Self.path, to: output, fileSystem: fileSystem)
        return (try BookStore(at: output, access: .readOnly, fileSystem: fileSystem), report)
    }
}

extension Snapshot {
    /// Every record as a line of JSON, by kind and identifier.
    func exported() throws -> [String: String] {
        var lines: [String: String] = [:]
        try export { line in
            let kind = try #require(line.split(separator: "\"").dropFirst(3).first)
            let id = try #require(line.split(separator: "\"").dropFirst(7).first)
            lines["\(kind) \(id)"] = line
        }
        return lines
    }
}
