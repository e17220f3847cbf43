import StorageEngine
import Testing

/// The compiler makes unsafe code say so. This makes it say why.
@Suite struct UnsafeReasonsTests {
    static let modules = ["StorageEngine", "Filing", "BookDB", "BookImport", "BookDBCommand"]

    @Test func `every declaration with unsafe code says what makes it safe`() throws {
        var wordCount = 0
        for module in Self.modules {
            for path in try swiftFiles(below: repositoryRoot + "/Sources/" + module) {
                let text = String(decoding: try PosixFileSystem().bytes(of: path), as: UTF8.self)
                for declaration in SourceDeclaration.all(in: text) {
                    wordCount += declaration.unsafeWordCount + declaration.uncheckedWordCount
                    for reason in declaration.missingReasons {
                        Issue.record("\(path), line \(declaration.line): no comment begins \"\(reason) …\"")
                    }
                }
            }
        }
        #expect(wordCount > 100, "the sources were found")
    }

    @Test func `code without a reason is found, whatever a string or a comment says`() {
        let source = """
            import Glibc

            /// Safe because it does nothing.
            struct Reasoned {
                var text: String { unsafe String(cString: strerror(1)) }
            }

            extension Reasoned {
                // An unsafe word in a comment, and "unsafe {" in a string, are no code.
                var words: String { "unsafe { @safe" }
            }

            #if os(Linux)
                struct Bare { let pointer: UnsafeRawPointer; var byte: UInt8 { unsafe pointer.load(as: UInt8.self) } }
            #endif

            final class Shared: @unchecked Sendable {
                // Safe because of something else.
            }

            nonisolated(unsafe) var count = 0

            @safe struct Claimed {
            }
            """
        let found = SourceDeclaration.all(in: source).flatMap { declaration in
            declaration.missingReasons.map { "\(declaration.line): \($0)" }
        }
        #expect(
            found == [
                "14: Safe because", "17: Safe to share because", "21: Safe to share because", "23: Safe because",
            ])
    }
}
