import RecordStore
import StorageEngine

/// Tags and series, all of one name at once. Case, marks and punctuation of the name do not count, but for a tag that some work has exactly as it is
/// given: `C++`, `C#` and `C` are alike without their signs, and are three.
extension LibraryTransaction {
    /// Gives another name to a tag (a shelf), on every work that has it. Where a work has the new one, too, it then has it once: case and marks do not
    /// count there, signs do.
    ///
    /// Where any work has a tag of exactly this text, by its bytes, only that text is renamed, and tags that are merely like it stay. Otherwise case, marks and
    /// punctuation do not count.
    ///
    /// Some 30 microseconds a work, in one commit.
    ///
    /// - Returns: how many works had the tag.
    /// - Throws: `LibraryError.invalidValue` for a name without a letter, a number or a sign.
    @discardableResult
    public mutating func renameTag(_ name: String, to newName: String) throws(LibraryError) -> Int {
        guard !newName.isBlank else {
            throw .invalidValue("A tag needs a name: a letter, a number or a sign.")
        }
        return try replaceTag(name, with: newName)
    }

    /// Takes a tag (a shelf) off every work that has it: exactly this text, as `renameTag` does, where any work has it.
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
        guard !newName.isBlank else { throw .invalidValue("A series needs a name.") }
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
        try requireBooks()
        let works = try trees.works(in: LibraryTree.tagWorks, prefix: LibraryKey.namePrefix(name))
        let isExact = try isTag(name, ofAnyOf: works)
        func isMeant(_ tag: String) -> Bool {
            isExact ? tag.hasSameBytes(as: name) : LibraryKey.isSameName(tag, name)
        }
        func isNew(_ tag: String) -> Bool {
            guard let newName else { return false }
            // What is only like the old name stays, also where that is like the new one; so does what has other signs, as `C++` beside `C#`.
            return tag.hasSameBytes(as: newName)
                || LibraryKey.isSameName(tag, newName) && !LibraryKey.isSameName(tag, name)
                    && tag.signs.elementsEqual(newName.signs)
        }
        func renamed(_ tags: [String]) -> [String]? {
            // One that only begins alike is listed together with it.
            guard tags.contains(where: isMeant) else { return nil }
            // The new name is there once; no other tag goes, whatever it is like.
            var hasNewName = false
            return tags.compactMap { tag in
                let isRenamed = isMeant(tag)
                guard isRenamed || isNew(tag) else { return tag }
                guard let newName, !hasNewName else { return nil }
                hasNewName = true
                return isRenamed ? newName : tag
            }
        }
        // All of them can be stored, or nothing is changed.
        if newName != nil { for id in works { try requireStorableTags(of: id, renamed) } }
        return try apply { (transaction) throws(LibraryError) in
            var count = 0
            for id in works where try transaction.changeTags(of: id, renamed) { count += 1 }
            return count
        }
    }

    /// Whether any of the works has a tag with exactly these bytes.
    private func isTag(_ name: String, ofAnyOf works: [ID<Work>]) throws(LibraryError) -> Bool {
        for id in works {
            let tags = try trees.entryRecord(of: id)?.entry.tags ?? []
            if tags.contains(where: { $0.hasSameBytes(as: name) }) { return true }
        }
        return false
    }

    private mutating func replaceSeries(_ name: String, with newName: String?) throws(LibraryError) -> Int {
        try requireBooks()
        let works = try trees.works(in: LibraryTree.seriesWorks, prefix: LibraryKey.namePrefix(name))
        func renamed(_ id: ID<Work>, _ transaction: borrowing LibraryTransaction) throws(LibraryError) -> Work? {
            guard var work = try transaction.trees.work(id),
                work.series.contains(where: { LibraryKey.isSameName($0.name, name) })
            else { return nil }
            work.series = work.series.compactMap { series in
                guard LibraryKey.isSameName(series.name, name) else { return series }
                guard let newName else { return nil }
                var renamed = series
                renamed.name = newName
                return renamed
            }
            return work
        }
        // All of them can be stored, or nothing is changed.
        if newName != nil { for id in works { _ = try renamed(id, self)?.validated() } }
        return try apply { (transaction) throws(LibraryError) in
            var count = 0
            for id in works {
                guard let work = try renamed(id, transaction) else { continue }
                try transaction.update(work)
                count += 1
            }
            return count
        }
    }
}

extension String {
    /// What is in it besides letters, marks, numbers and white space, in its order.
    fileprivate var signs: some Sequence<Unicode.Scalar> {
        unicodeScalars.lazy.filter { scalar in
            switch scalar.properties.generalCategory {
            case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
                .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
                true
            default: false
            }
        }
    }
}
