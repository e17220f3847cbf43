@_exported public import RecordStore
import StorageEngine

/// A library of books, and of an app's own records, in a directory of its own or in memory.
///
/// ```swift
/// let store = try BookStore(at: "Library.bookdb")
/// try await store.write { library in
///     let tolkien = try library.insert(Author("J. R. R. Tolkien"))
///     try library.insert(Work("The Hobbit", by: tolkien, year: 1937))
/// }
/// for item in store.snapshot.works.list(by: .title).prefix(50) { print(item.title) }
/// ```
///
/// Opening maps a file and does not depend on the size of the library. Reading works on a `snapshot` and never waits;
/// writing goes through one writer, a transaction at a time. An app's other processes may have the library open, too.
public final class BookStore: RecordLibrary, @unchecked Sendable {
    // Safe to share because it has no properties of its own.

    public override class var contents: LibraryContents { .books }

    /// What a view has for which no library was given: every read and write throws the way out.
    package static func notGiven() -> BookStore {
        absent(because: .unavailable("This view was given no library: add .bookStore(store) to it, or to the scene."))
    }
}
