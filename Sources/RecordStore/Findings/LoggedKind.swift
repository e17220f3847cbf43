import StorageEngine

/// A kind of records as a log shows it, which knows entries of trees alone.
package struct LoggedKind: Sendable {
    /// For people, in lower case where it is no kind of the app's own: `entry`.
    package let name: String

    package let plural: String

    /// The trees whose entries are its records, or parts of them; the records themselves are in the first.
    package let trees: [TreeNumber]

    /// The record that an entry is, or is a part of; `nil` for one of another kind.
    package let record: @Sendable (_ tree: TreeNumber, _ key: [UInt8]) -> (id: UInt64, isPart: Bool)?

    package let find: @Sendable (Version, UInt64) throws(LibraryError) -> [UInt8]?

    /// What people know a record by.
    package let excerpt: @Sendable ([UInt8]) -> String

    package init(
        _ name: String, plural: String, in trees: [TreeNumber],
        record: @escaping @Sendable (TreeNumber, [UInt8]) -> (id: UInt64, isPart: Bool)?,
        find: @escaping @Sendable (Version, UInt64) throws(LibraryError) -> [UInt8]?,
        excerpt: @escaping @Sendable ([UInt8]) -> String
    ) {
        (self.name, self.plural, self.trees) = (name, plural, trees)
        (self.record, self.find, self.excerpt) = (record, find, excerpt)
    }

    /// Records that each have an entry under their identifier, and nothing besides.
    package init(
        _ name: String, plural: String, in tree: TreeNumber, excerpt: @escaping @Sendable ([UInt8]) -> String
    ) {
        self.init(
            name, plural: plural, in: [tree],
            record: { _, key in key.count == 8 ? (key.number(at: 0), false) : nil },
            find: { (version, id) throws(LibraryError) in try version.recordBytes(id, in: tree) }, excerpt: excerpt)
    }
}
