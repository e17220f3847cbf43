import StorageEngine
import Testing

@testable import RecordStore

struct LibraryErrorTests {
    @Test func `every error of the engine is a sentence and a next step of the library`() {
        let errors: [StorageError] = [
            .notAStore(path: "L", reason: "it is a file"), .newerFormat(path: "L", found: 9, supported: 1),
            .unknownFeatures(path: "L/s", bits: 1, canBeRead: false),
            .unknownFeatures(path: "L/s", bits: 0x8000_0000, canBeRead: true),
            .inUse(path: "L", processIdentifier: 812),
            .damaged(Damage(file: "L/s", byteOffset: 4096, page: 1, finding: "checksum is 1, its parent says 2")),
            .diskFull(path: "L"), .readOnly(path: "L"), .notPermitted(path: "L"), .notFound(path: "L"),
            .missingParent(path: "N/L", parent: "N"),
            .notARegularFile(path: "L/lock", found: "a symbolic link"), .displaced(path: "L"),
            .inputOutput(operation: "open", path: "L", code: 5), .limitExceeded("Too long."),
            .duplicateKey(tree: "rows", key: [1, 2]),
            .schemaMismatch("Other trees."), .closed(path: "L"), .poisoned(path: "L", reason: "flush failed."),
            .suspended(path: "L"), .cancelled,
        ]
        for error in errors {
            let lines = LibraryError(error).description.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines[0].hasSuffix("."))
            #expect(lines[1].hasPrefix("→ "))
        }
        #expect(
            LibraryError(StorageError.inUse(path: "Library.bookdb", processIdentifier: 812)).description
                == "Library.bookdb is in use by process 812.\n→ try again when what is done there has ended, "
                + "close it there, or open it read-only")
    }

    @Test func `an error of the caller passes through a write unchanged`() async throws {
        struct Refusal: Error, Equatable {}
        try await withLibrary { store in
            await #expect(throws: Refusal()) { try await store.write { _ in throw Refusal() } }
        }
    }
}
