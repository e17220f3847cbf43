import StorageEngine
import TestSupport
import Testing

@testable import BookDB

/// A cover's URL in a list row: turned, so that rows end alike, and read as it was.
@Suite struct TurnedURLTests {
    private static func turned(_ url: String) -> [UInt8] {
        var bytes: [UInt8] = []
        TurnedURL.append(url, to: &bytes)
        return bytes
    }

    private static func url(_ bytes: [UInt8]) -> String? { bytes.withBytes { TurnedURL.url($0, 0..<bytes.count) } }

    @Test(arguments: [
        ("https://covers.example.org/b/isbn/", "9780141439518-M.jpg"),
        ("http://books.example.com/books/content?id=", "wrOQLV6xB-wC&printsec=frontcover&zoom=1"),
        ("https://images.example.com/S/compressed.photo/books/", "1327144697l/3744438.jpg"),
        ("https://m1.example.com/images/I/", "81af+MCATTL.jpg"),
        ("https://example.org/", "cover.png"),
        ("https://example.org/covers/", "été-1.png"),
        ("http://[::1]/", "7"),
        ("file:///", "7.png"),
        ("https://example.org/covers/", "7/"),
        ("", "https://example.org"),
        ("", "cover-7.jpg"),
        ("//a/", "7"),
        ("", "/"),
    ])
    func `what the URLs of a site have in common goes to the end`(beginning: String, rest: String) {
        let bytes = Self.turned(beginning + rest)
        #expect(bytes == [UInt8(beginning.utf8.count)] + Array(rest.utf8) + Array(beginning.utf8))
        #expect(Self.url(bytes) == beginning + rest)
    }

    @Test func `a beginning of more than 255 bytes stays where it is`() {
        let path = String(repeating: "a", count: 300)
        for url in ["https://example.org/\(path)/7.png", "https://example.org/\(path.prefix(234))/7.png"] {
            #expect(Self.turned(url)[0] == (url.utf8.count > 300 ? 0 : 255), "\(url.utf8.count)")
            #expect(Self.url(Self.turned(url)) == url)
        }
    }

    @Test func `any text is what it was`() {
        var random = SeededGenerator.forTest(fallback: 1)
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 1...90, using: &random)).map { _ in
                ["/", "//", ":", "=", "7", "a", "é", "\u{1F4D6}", "https://", "?", ""].randomElement(using: &random)!
            }.joined()
            guard !text.isEmpty else { continue }
            let found = Self.url(Self.turned(text))
            #expect(found.map { Array($0.utf8) } == Array(text.utf8), "\(text)")
        }
    }

    @Test func `bytes that are no turned URL are none`() {
        #expect(Self.url([]) == nil)
        #expect(Self.url([1]) == nil)
        #expect(Self.url([2, 65]) == nil)
        #expect(Self.url([0]) == "")
        #expect(Self.url([1, 65]) == "A")
        #expect(Self.url([1, 0xFF, 65]) == "A\u{FFFD}")
    }
}
