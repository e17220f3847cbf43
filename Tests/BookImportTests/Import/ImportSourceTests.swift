import BookDB
import Foundation
import Testing

@testable import BookImport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite struct ImportSourceTests {
    @Test func `a file that is not there is told with its path`() async throws {
        let error = #expect(throws: ImportError.self) { try FileBytes(path: "/nowhere/books.csv") }
        #expect(error == .notFound(path: "/nowhere/books.csv"))
        #expect(error?.description == "There is no file at /nowhere/books.csv.\n→ check the path")
    }

    @Test func `a directory is no file`() async throws {
        let path = FileManager.default.temporaryDirectory.path
        #expect(throws: ImportError.isDirectory(path: path)) { try FileBytes(path: path) }
    }

    @Test func `a hyphen is standard input`() {
        #expect(ImportSource(path: "-").name == "standard input")
        #expect(ImportSource(path: "books.csv").name == "books.csv")
    }

    @Test func `a file is read piece by piece to its end`() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "import-\(UInt64.random(in: 0 ... .max)).csv")
        defer { try? FileManager.default.removeItem(at: url) }
        let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Data(bytes).write(to: url)
        let input = try ImportSource(path: url.path).open()
        #expect(input.totalByteCount == bytes.count)
        var pieces: [[UInt8]] = []
        while let piece = try await input.next() { pieces.append(piece) }
        #expect(pieces.count == 3)
        #expect(pieces.flatMap { $0 } == bytes)
    }

    @Test func `an empty file says that it is empty`() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "import-\(UInt64.random(in: 0 ... .max)).csv")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data().write(to: url)
        let error = await #expect(throws: ImportError.self) { try await Rows(ImportSource(path: url.path)) }
        #expect(error?.description.contains("it is empty") == true)
    }

    @Test func `a pipe is read as its bytes come`() async throws {
        let pipe = try Pipe()
        let input = try ImportSource(path: pipe.path).open()
        #expect(input.totalByteCount == nil)
        pipe.write("title\n")
        #expect(try await input.next() == Array("title\n".utf8))
        pipe.write("Momo\n")
        pipe.closeWriting()
        #expect(try await input.next() == Array("Momo\n".utf8))
        #expect(try await input.next() == nil)
    }

    @Test(.timeLimit(.minutes(60)), arguments: 0..<3)
    func `a pipe is read wherever a letter falls at the end of what is looked through`(shift: Int) async throws {
        let pipe = try Pipe()
        let title = String(repeating: "書", count: 60_000)
        Thread.detachNewThread {
            pipe.write("title,author\n" + String(repeating: "x", count: shift))
            for number in 1...3 { pipe.write("\(number) \(title),Somebody\n") }
            pipe.closeWriting()
        }
        let store = try BookStore.inMemory()
        let result = try await store.import(ImportSource(path: pipe.path), durability: .memory).result
        #expect(result.added == 3 && result.encoding == .utf8)
    }

    @Test(.timeLimit(.minutes(60)))
    func `an import that waits for a pipe can be cancelled`() async throws {
        let pipe = try Pipe()
        let notes = String(repeating: "x", count: 10_000)
        // More than is looked through before the first row; the end never comes.
        Thread.detachNewThread {
            pipe.write("title,author,notes\n")
            for number in 1...60 { pipe.write("Book \(number),Author,\(notes)\n") }
        }
        let store = try BookStore.inMemory()
        let job = store.import(ImportSource(path: pipe.path), batchSize: 1, durability: .memory)
        for await progress in job.progress where progress.rowsRead >= 50 { break }
        job.cancel()
        let result = try await job.result
        #expect(result.wasCancelled)
        #expect(result.rows >= 50 && result.added == result.rows)
        #expect(try store.snapshot.works.count == result.rows)
    }

    @Test(.timeLimit(.minutes(60)))
    func `an import that waits for the beginning of a pipe can be cancelled`() async throws {
        let pipe = try Pipe()
        pipe.write("title,author\nMomo,Michael Ende\n")
        let job = try BookStore.inMemory().import(ImportSource(path: pipe.path))
        job.cancel()
        await #expect(throws: CancellationError.self) { try await job.result }
    }

    @Test(.timeLimit(.minutes(60)))
    func `an import of a pipe by name that nobody writes to yet waits, and can be cancelled`() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/bookdb-pipe-\(UInt64.random(in: 0 ... .max))"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let store = try BookStore.inMemory()
        let job = store.import(ImportSource(path: path))
        try await Task.sleep(for: .milliseconds(50))
        job.cancel()
        await #expect(throws: CancellationError.self) { try await job.result }
        // And whoever comes later is read to the end.
        let later = store.import(ImportSource(path: path), durability: .memory)
        try await Task.sleep(for: .milliseconds(50))
        Thread.detachNewThread {
            let writing = open(path, O_WRONLY)
            let bytes = Array("title,author\nMomo,Michael Ende\n".utf8)
            _ = bytes.withUnsafeBytes { systemWrite(writing, $0.baseAddress, $0.count) }
            close(writing)
        }
        #expect(try await later.result.added == 1)
    }

    @Test func `every error has a sentence and a next step`() {
        let errors: [ImportError] = [
            .notFound(path: "p"), .notPermitted(path: "p"), .isDirectory(path: "p"),
            .notReadable(name: "p", reason: "r"),
            .notCSV(name: "p", CSVError(reason: "it is a PDF", nextStep: "export")),
            .unknownFormat(name: "p", headers: (0..<40).map { "\($0)" }), .unknownFormat(name: "p", headers: []),
            .unclearEncoding(name: "p", lines: []), .unnamedSource(column: "c"), .noSuchColumn("c", headers: ["a"]),
            .unknownField("f"), .invalidMapping("m"),
        ]
        for error in errors {
            #expect(error.sentence.hasSuffix("."))
            #expect(error.description.split(separator: "\n").count == 2)
            #expect(!error.nextStep.isEmpty)
        }
    }
}

/// A pipe of this process, with a path to open its reading end by.
private final class Pipe: Sendable {
    let path: String
    private let reading: Int32
    private let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
        path = "/dev/fd/\(reading)"
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { systemWrite(writing, $0.baseAddress, $0.count) }
        #expect(count == bytes.count)
    }

    func closeWriting() { close(writing) }

    deinit { close(reading) }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
