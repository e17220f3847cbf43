import Filing
import StorageEngine

/// Builds the keys of the trees of books; see `LibraryTree` for what each holds.
extension LibraryKey {
    static func title(_ titleKey: [UInt8], _ work: ID<Work>) -> [UInt8] {
        joined(titleKey, work)
    }

    /// Names of series and tags that differ only in case, marks and punctuation are one. A name of nothing but punctuation
    /// stays as it is, or "#1" would be every such name.
    static func namePrefix(_ name: String) -> [UInt8] {
        let folded = FoldedText(utf8: Array(name.utf8)[...], limit: maximumListNameByteCount).bytes
        let text = folded.isEmpty ? Array(name.utf8.filter { $0 > 0x20 }.prefix(maximumListNameByteCount)) : folded
        return text + [separator]
    }

    /// Whether two names of series or tags are one. Keys have the first 96 bytes of a name: longer names that begin alike are listed together, and
    /// are two all the same.
    static func isSameName(_ one: String, _ other: String) -> Bool {
        guard namePrefix(one) == namePrefix(other) else { return false }
        func whole(_ name: String) -> [UInt8] {
            let folded = FoldedText(utf8: Array(name.utf8)[...]).bytes
            return folded.isEmpty ? name.utf8.filter { $0 > 0x20 } : folded
        }
        return whole(one) == whole(other)
    }

    private static let maximumListNameByteCount = 96

    // MARK: Records

    static func text(_ work: ID<Work>, _ kind: TextKind) -> [UInt8] {
        var key = [UInt8].bigEndian(work.rawValue)
        key.append(kind.rawValue)
        return key
    }

    // MARK: Indexes

    static func isbn(_ isbn: ISBN, _ work: ID<Work>, _ edition: ID<Edition>) -> [UInt8] {
        var key = pair(isbn.digits, work.rawValue)
        key.append(bigEndian: edition.rawValue)
        return key
    }

    static func source(_ identifier: SourceIdentifier, _ work: ID<Work>, _ edition: ID<Edition>) -> [UInt8] {
        var key = sourcePrefix(identifier)
        key.append(bigEndian: work.rawValue)
        key.append(bigEndian: edition.rawValue)
        return key
    }

    static func sourcePrefix(_ identifier: SourceIdentifier) -> [UInt8] {
        Array(identifier.source.utf8) + [separator] + Array(identifier.value.utf8) + [separator]
    }

    static func match(_ match: MatchKey, _ work: ID<Work>) -> [UInt8] {
        var key = matchPrefix(match)
        key.reserveCapacity(matchHashByteCount + 8)
        key.append(bigEndian: work.rawValue)
        return key
    }

    /// All keys of a work in the index, each once: two match keys may have one hash.
    static func matches(of work: Work, authors: [Author]) -> [[UInt8]] {
        work.matchKeys(authors: authors).map { match($0, work.id) }.withoutRepetitions()
    }

    /// What works of a match key have in common in the index, and one of another key once in 2⁴⁰.
    static func matchPrefix(_ match: MatchKey) -> [UInt8] {
        Array([UInt8].bigEndian(EntryHash.hash(match.bytes)).prefix(matchHashByteCount))
    }

    private static let matchHashByteCount = 5

    static func authorName(_ name: String, _ author: ID<Author>) -> [UInt8] {
        var key = authorNamePrefix(name)
        key.append(bigEndian: author.rawValue)
        return key
    }

    /// Names that differ only in case, marks and punctuation have the same prefix; so may names of enormous length.
    static func authorNamePrefix(_ name: String) -> [UInt8] {
        FoldedText(utf8: Array(name.utf8)[...], limit: maximumNameByteCount).bytes + [separator]
    }

    /// Well below the engine's 512 bytes, and longer than a name.
    private static let maximumNameByteCount = 200

    // MARK: Pieces

    private static func joined(_ text: [UInt8], _ work: ID<Work>) -> [UInt8] {
        var key = text
        key.reserveCapacity(text.count + 9)
        key.append(separator)
        key.append(bigEndian: work.rawValue)
        return key
    }

    private static func pair(_ first: UInt64, _ second: UInt64) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(24)
        key.append(bigEndian: first)
        key.append(bigEndian: second)
        return key
    }
}
