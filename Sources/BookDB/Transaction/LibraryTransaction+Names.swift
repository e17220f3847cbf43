import RecordStore
import StorageEngine

/// Tags and series, all of one name at once. Case, marks and punctuation of the name do not count.
extension LibraryTransaction {
    /// Gives another name to a tag (a shelf), on every work that has it. Where a work has the new one, too, it then has it once.
    ///
    /// Some 30 microseconds a work, in one commit.
    ///
    /// - Returns: how many works had the tag.
    /// - Throws: `LibraryError.invalidValue` for a name without a letter, a number or a sign.
    @discardableResult
    public mutating func renameTag(_ name: String, to newName: String) throws(LibraryError) -> Int {
        try replaceTag(name, with: newName)
    }

    /// Takes a tag (a shelf) off every work that has it.
    ///
    /// - Returns: how many works had it.
    @discardableResult
    public mutating func deleteTag(_ name: String) throws(LibraryError) -> Int { try replaceTag(name, with: nil) }

    /// Gives another name to a series, in every work that belongs to it; the numbers stay. Where a work belongs to the new one, too, its
    /// first place counts.
    ///
    /// - Returns: how many works belonged to it.
    /// - Throws: `LibraryError.invalidValue` for a name of nothing but blanks.
    @discardableResult
    public mutating func renameSeries(_ name: String, to newName: String) throws(LibraryError) -> Int {
        guard newName.contains(where: { !$0.isWhitespace }) else { throw .invalidValue("A series needs a name.") }
        return try replaceSeries(name, with: newName)
    }

    /// Takes every work out of a series. The works stay.
    ///
    /// - Returns: how many works belonged to it.
    @discardableResult
    public mutating func deleteSeries(_ name: String) throws(LibraryError) -> Int {
        try replaceSeries(name, with: nil)
    }

    // MARK: Pieces

    private mutating func replaceTag(_ name: String, with newName: String?) throws(LibraryError) -> Int {
        let key = LibraryKey.namePrefix(name)
        let works = try trees.works(in: LibraryTree.tagWorks, prefix: key)
        for id in works {
            guard var entry = try trees.entry(of: id) else { continue }
            // A name that is there already would be there twice.
            var names = KeySet()
            entry.tags = entry.tags.compactMap { LibraryKey.namePrefix($0) == key ? newName : $0 }.filter {
                names.insert(LibraryKey.namePrefix($0))
            }
            try set(entry)
        }
        return works.count
    }

    private mutating func replaceSeries(_ name: String, with newName: String?) throws(LibraryError) -> Int {
        let key = LibraryKey.namePrefix(name)
        let works = try trees.works(in: LibraryTree.seriesWorks, prefix: key)
        for id in works {
            guard var work = try trees.work(id) else { continue }
            work.series = work.series.flatMap { series -> [SeriesMembership] in
                guard LibraryKey.namePrefix(series.name) == key else { return [series] }
                guard let newName else { return [] }
                var renamed = series
                renamed.name = newName
                return [renamed]
            }
            try update(work)
        }
        return works.count
    }
}
