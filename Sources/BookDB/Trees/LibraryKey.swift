/// Builds the keys of the library's trees. Keys compare byte by byte; see `LibraryTree` for what each holds.
enum LibraryKey {
    /// Ends a text of any length within a key. Folded texts have no byte below 0x20, so a key ends where it seems to
    /// and a shorter text comes before the longer one it begins.
    static let separator: UInt8 = 0

    // MARK: Orders

    static func title(_ titleKey: [UInt8], _ work: ID<Work>) -> [UInt8] {
        joined(titleKey, work)
    }

    /// - Parameter authorKey: the sort key of the first author; `nil` for a work without authors.
    static func authorOrder(_ authorKey: [UInt8]?, title: [UInt8]) -> [UInt8] {
        var key = authorKey ?? [noAuthor]
        key.reserveCapacity(key.count + 1 + title.count)
        key.append(separator)
        key.append(contentsOf: title)
        return key
    }

    static func addedOrder(_ added: Milliseconds, title: [UInt8]) -> [UInt8] {
        // Flipping the sign bit makes the order of the bytes that of the numbers; inverting puts the newest first.
        var key = [UInt8].bigEndian(~(UInt64(bitPattern: added.since1970) ^ 1 << 63))
        key.append(contentsOf: title)
        return key
    }

    /// The time in a key of `addedOrder`.
    static func added(_ key: [UInt8]) -> Milliseconds {
        Milliseconds(since1970: Int64(bitPattern: ~key.number(at: 0) ^ 1 << 63))
    }

    /// A byte that no UTF-8 contains, so that works without an author come after all others.
    private static let noAuthor: UInt8 = 0xFF

    // MARK: Records

    static func edition(_ work: ID<Work>, _ edition: ID<Edition>) -> [UInt8] {
        pair(work.rawValue, edition.rawValue)
    }

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

    static func authorWork(_ author: ID<Author>, _ work: ID<Work>) -> [UInt8] {
        pair(author.rawValue, work.rawValue)
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
        joined(match.bytes, work)
    }

    static func matchPrefix(_ match: MatchKey) -> [UInt8] {
        match.bytes + [separator]
    }

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
