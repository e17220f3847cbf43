import Filing

/// Builds the keys of the trees of books; see `LibraryTree` for what each holds.
extension LibraryKey {
    // MARK: Orders

    static func title(_ titleKey: [UInt8], _ work: ID<Work>) -> [UInt8] {
        joined(titleKey, work)
    }

    /// - Parameter authorKey: the sort key of the first author; `nil` for a work without authors.
    static func authorOrder(_ authorKey: [UInt8]?, title: [UInt8]) -> [UInt8] {
        let author = authorKey ?? [nothing]
        return key(author.count + 1, before: title) { key in
            key.append(contentsOf: author)
            key.append(separator)
        }
    }

    static func addedOrder(_ added: Milliseconds, title: [UInt8]) -> [UInt8] {
        // Flipping the sign bit makes the order of the bytes that of the numbers; inverting puts the newest first.
        key(8, before: title) { $0.append(bigEndian: ~(UInt64(bitPattern: added.since1970) ^ 1 << 63)) }
    }

    /// The time in a key of `addedOrder`.
    static func added(_ key: [UInt8]) -> Milliseconds {
        Milliseconds(since1970: Int64(bitPattern: ~key.number(at: 0) ^ 1 << 63))
    }

    /// Latest first; works without a day last.
    static func finishedOrder(_ day: Day?, title: [UInt8]) -> [UInt8] {
        let number = day.map { UInt32(bitPattern: $0.daysSince1970) ^ 1 << 31 } ?? 0
        return key(4, before: title) { key in
            for shift in stride(from: 24, through: 0, by: -8) {
                key.append(~UInt8(truncatingIfNeeded: number >> UInt32(shift)))
            }
        }
    }

    /// The day in a key of `finishedOrder`.
    static func finished(_ key: [UInt8]) -> Day? {
        let number = key.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return key.count < 4 || number == .max ? nil : Day(daysSince1970: Int32(bitPattern: ~number ^ 1 << 31))
    }

    /// The year in a key of `yearOrder`.
    static func year(_ key: [UInt8]) -> Int? {
        let number = key.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        return key.count < 2 || number == Int(UInt16.max) ? nil : number - 32_768
    }

    /// Earliest first; works without a year last.
    static func yearOrder(_ year: Int?, title: [UInt8]) -> [UInt8] {
        let number = year.map { UInt16(min(max($0, -32_768), 32_766) + 32_768) } ?? .max
        return key(2, before: title) { key in
            key.append(UInt8(number >> 8))
            key.append(UInt8(truncatingIfNeeded: number))
        }
    }

    /// Best first; works without a rating last.
    static func ratingOrder(_ rating: Rating?, title: [UInt8]) -> [UInt8] {
        key(1, before: title) { $0.append(rating.map { 20 - $0.quarterStars } ?? 0xFF) }
    }

    /// Works without a series last.
    static func seriesOrder(_ series: SeriesMembership?, title: [UInt8]) -> [UInt8] {
        guard let series else {
            return key(2 + SeriesNumber.byteCount, before: title) { key in
                key.append(nothing)
                key.append(separator)
                for _ in 0..<SeriesNumber.byteCount { key.append(0xFF) }
            }
        }
        return seriesWork(series, title: title)
    }

    /// A byte that no UTF-8 contains, so that works without an author or a series come after all others.
    private static let nothing: UInt8 = 0xFF

    // MARK: Lists

    static func authorWork(_ author: ID<Author>, title: [UInt8]) -> [UInt8] {
        key(8, before: title) { $0.append(bigEndian: author.rawValue) }
    }

    static func seriesWork(_ series: SeriesMembership, title: [UInt8]) -> [UInt8] {
        namePrefix(series.name) + SeriesNumber.key(series.number) + title
    }

    static func languageWork(_ language: LanguageCode, title: [UInt8]) -> [UInt8] {
        let bytes = language.bytes
        return key(bytes.count, before: title) { $0.append(contentsOf: bytes) }
    }

    static func tagWork(_ tag: String, title: [UInt8]) -> [UInt8] {
        namePrefix(tag) + title
    }

    /// Names of series and tags that differ only in case, marks and punctuation are one. A name of nothing but punctuation
    /// stays as it is, or "#1" would be every such name.
    static func namePrefix(_ name: String) -> [UInt8] {
        let folded = FoldedText(utf8: Array(name.utf8)[...], limit: maximumListNameByteCount).bytes
        let text = folded.isEmpty ? Array(name.utf8.filter { $0 > 0x20 }.prefix(maximumListNameByteCount)) : folded
        return text + [separator]
    }

    private static let maximumListNameByteCount = 96

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

    /// What `write` appends, so many bytes, and the key of the row.
    @inline(__always)
    private static func key(_ byteCount: Int, before title: [UInt8], _ write: (inout [UInt8]) -> Void) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(byteCount + title.count)
        write(&key)
        key.append(contentsOf: title)
        return key
    }

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
