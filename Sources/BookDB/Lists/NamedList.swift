import StorageEngine

/// The name of a series or a tag, and how many works are under it.
public struct NamedList: Hashable, Sendable {
    /// As first written: names that differ only in case, marks and punctuation are one.
    public let name: String
    public let count: Int
}

extension Snapshot.Works {
    /// The tags (shelves) the reader uses, in filing order, with their counts. O(k log n) for k tags.
    public var tags: [NamedList] {
        get throws(BookError) { try names(in: .tag) }
    }

    /// The series of the library, in filing order, with their counts. O(k log n) for k series.
    public var series: [NamedList] {
        get throws(BookError) { try names(in: .series) }
    }

    /// The languages of the library by their codes, with their counts. O(k log n) for k languages.
    public var languages: [(language: LanguageCode, count: Int)] {
        get throws(BookError) {
            var languages: [(language: LanguageCode, count: Int)] = []
            let tree = LibraryTree.languageWorks
            do {
                let end = try version.count(in: tree)
                var position = 0
                while position < end, let entry = try version.entry(at: position, in: tree) {
                    let prefix = entry.withKey { $0.copyBytes(0..<min($0.byteCount, LanguageCode.byteCount)) }
                    let behind = try LibraryKey.end(ofPrefix: prefix).map { next throws(StorageError) in
                        try version.lowerBound(of: next, in: tree)
                    }
                    let next = max(behind ?? end, position + 1)
                    if let language = LanguageCode(stored: prefix) { languages.append((language, next - position)) }
                    position = next
                }
            } catch {
                throw BookError(error)
            }
            return languages
        }
    }

    private func names(in index: WorkIndex) throws(BookError) -> [NamedList] {
        var names: [NamedList] = []
        do {
            let end = try version.count(in: index.tree)
            var position = 0
            while position < end, let entry = try version.entry(at: position, in: index.tree) {
                let prefix = entry.withKey { key in
                    key.copyBytes(0..<key.byteCount).prefix { $0 != LibraryKey.separator }
                }
                let behind = try version.lowerBound(of: Array(prefix) + [LibraryKey.separator + 1], in: index.tree)
                let next = max(behind, position + 1)
                names.append(
                    NamedList(
                        name: try entry.withValue { $0.string(at: 0, count: $0.byteCount) }, count: next - position))
                position = next
            }
        } catch {
            throw BookError(error)
        }
        return names
    }
}
