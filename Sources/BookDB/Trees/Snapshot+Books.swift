import RecordStore
import StorageEngine

extension Snapshot {
    public var works: Works { Works(version: version) }

    public var authors: Authors { Authors(version: version) }

    public var editions: Editions { Editions(version: version) }

    public var entries: Entries { Entries(version: version) }
}

extension Snapshot {
    /// The authors of a snapshot.
    public struct Authors: Sendable {
        let version: Version

        /// O(log n). `nil` when there is no such author.
        public subscript(id: ID<Author>) -> Author? {
            get throws(LibraryError) { try version.author(id) }
        }

        /// O(1).
        public var count: Int {
            get throws(LibraryError) { try version.count(of: LibraryTree.authors) }
        }

        /// The author of this name; case, marks and punctuation do not count unless two names differ only in them.
        public func named(_ name: String) throws(LibraryError) -> ID<Author>? { try version.author(named: name) }
    }

    /// The editions of a snapshot.
    public struct Editions: Sendable {
        let version: Version

        /// O(log n). `nil` when there is no such edition.
        public subscript(id: ID<Edition>) -> Edition? {
            get throws(LibraryError) { try version.edition(id) }
        }

        /// O(1).
        public var count: Int {
            get throws(LibraryError) { try version.count(of: LibraryTree.books, facet: BookKey.Kind.editionFacet) }
        }

        /// The editions of a work, in the order they were added. One range of the tree.
        public func of(_ work: ID<Work>) throws(LibraryError) -> [Edition] { try version.editions(of: work) }
    }

    /// What the reader did with the works of a snapshot.
    public struct Entries: Sendable {
        let version: Version

        /// O(log n). `nil` when the reader did nothing with the work yet.
        public subscript(work: ID<Work>) -> UserLibraryEntry? {
            get throws(LibraryError) { try version.entry(of: work) }
        }

        /// O(1).
        public var count: Int {
            get throws(LibraryError) { try version.count(of: LibraryTree.books, facet: BookKey.Kind.entryFacet) }
        }
    }
}
