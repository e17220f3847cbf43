import StorageEngine

/// The library as it was after one commit: a value that never changes, read without waiting.
///
/// Reading takes no lock and is not disturbed by writes; a snapshot may be kept as long as one likes and passed between
/// actors. What is not there is `nil`; an error means that stored bytes are damaged.
public struct Snapshot: Sendable {
    let version: Version

    init(_ version: Version) {
        self.version = version
    }

    /// The last commit the snapshot contains.
    public var commitNumber: UInt64 { version.commitNumber }

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
            get throws(BookError) { try version.author(id) }
        }

        /// O(1).
        public var count: Int {
            get throws(BookError) { try version.count(of: LibraryTree.authors) }
        }

        /// The author of this name; case, marks and punctuation do not count unless two names differ only in them.
        public func named(_ name: String) throws(BookError) -> ID<Author>? { try version.author(named: name) }
    }

    /// The editions of a snapshot.
    public struct Editions: Sendable {
        let version: Version

        /// O(log n). `nil` when there is no such edition.
        public subscript(id: ID<Edition>) -> Edition? {
            get throws(BookError) { try version.edition(id) }
        }

        /// O(1).
        public var count: Int {
            get throws(BookError) { try version.count(of: LibraryTree.editions) }
        }

        /// The editions of a work, in the order they were added. One range of the tree.
        public func of(_ work: ID<Work>) throws(BookError) -> [Edition] { try version.editions(of: work) }
    }

    /// What the reader did with the works of a snapshot.
    public struct Entries: Sendable {
        let version: Version

        /// O(log n). `nil` when the reader did nothing with the work yet.
        public subscript(work: ID<Work>) -> UserLibraryEntry? {
            get throws(BookError) { try version.entry(of: work) }
        }

        /// O(1).
        public var count: Int {
            get throws(BookError) { try version.count(of: LibraryTree.entries) }
        }
    }
}

extension TreeReadable where Self: ~Copyable {
    func count(of tree: TreeNumber, facet: Facet? = nil) throws(BookError) -> Int {
        return try translatingErrors { try count(in: tree, facet: facet) }
    }

    func position(of key: [UInt8], in tree: TreeNumber, facet: Facet?) throws(BookError) -> Int {
        return try translatingErrors { try lowerBound(of: key, in: tree, facet: facet) }
    }
}
