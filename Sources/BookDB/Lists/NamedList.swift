import StorageEngine

/// The name of a series or a tag, and how many works are under it.
public struct NamedList: Hashable, Sendable {
    /// As the first work of the list has it: names that differ only in case, marks and punctuation are one. Names of nothing but signs are told
    /// apart by their bytes, so that two may be equal to Swift.
    public let name: String
    public let count: Int
}

extension Snapshot.Works {
    /// The tags (shelves) the reader uses, with their counts: in the order of their folded bytes, in which numbers do not go by value. O(k log n)
    /// for k tags.
    public var tags: [NamedList] {
        get throws(LibraryError) { try names(in: .tagList) }
    }

    /// The series of the library, with their counts, in the same order. O(k log n) for k series.
    public var series: [NamedList] {
        get throws(LibraryError) { try names(in: .seriesList) }
    }

    /// The languages of the library by their codes, with their counts. O(k log n) for k languages.
    public var languages: [(language: LanguageCode, count: Int)] {
        get throws(LibraryError) {
            var languages: [(language: LanguageCode, count: Int)] = []
            try forEachList(in: .languageList, { $0.copyBytes(0..<min($0.byteCount, LanguageCode.byteCount)) }) {
                prefix, _, count in
                if let language = LanguageCode(stored: prefix) { languages.append((language, count)) }
            }
            return languages
        }
    }

    private func names(in index: WorkIndex) throws(LibraryError) -> [NamedList] {
        var names: [NamedList] = []
        let prefix = { (key: RawSpan) -> [UInt8] in
            key.copyBytes(0..<key.byteCount).prefix { $0 != LibraryKey.separator } + [LibraryKey.separator]
        }
        try forEachList(in: index, prefix) { (_, first, count) throws(StorageError) in
            names.append(NamedList(name: try first.withValue { $0.string(at: 0, count: $0.byteCount) }, count: count))
        }
        return names
    }

    /// Visits the lists of a tree, each with the beginning that its keys share, its first entry and how many it has.
    private func forEachList(
        in index: WorkIndex, _ prefix: (RawSpan) -> [UInt8],
        _ body: (_ prefix: [UInt8], _ first: Entry, _ count: Int) throws(StorageError) -> Void
    ) throws(LibraryError) {
        try translatingErrors {
            let end = try version.count(in: index.tree)
            var position = 0
            while position < end, let entry = try version.entry(at: position, in: index.tree) {
                let prefix = try entry.withKey(prefix)
                var behind = end
                if let next = LibraryKey.end(ofPrefix: prefix) {
                    behind = try version.lowerBound(of: next, in: index.tree)
                }
                let next = max(behind, position + 1)
                try body(prefix, entry, next - position)
                position = next
            }
        }
    }
}
