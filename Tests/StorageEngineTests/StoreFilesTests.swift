import Testing

@testable import StorageEngine

/// Where a store lies, by its path.
@Suite struct StoreFilesTests {
    /// A mark behind a slash makes one character of both, as Swift sees it, and the slash was not found.
    @Test(arguments: [
        ("/tmp/w/\u{301}lib", "/tmp/w"), ("w/\u{301}lib", "w"), ("/\u{301}lib", "/"), ("lib", "."), ("/lib", "/"),
        ("a/b", "a"), ("a/b//", "a"), ("/", "/"),
    ])
    func `the folder of a store is what stands before the last slash`(path: String, parent: String) {
        #expect(Array(StoreFiles(directory: path).parent.utf8) == Array(parent.utf8))
    }
}
