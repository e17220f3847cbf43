/// Equal for two records that are likely the same work: its title and one author, without what varies between sources.
///
/// - Of the title go the case, marks and punctuation, a leading article, a series in brackets, `(Discworld, #4)`, and
///   a subtitle that only says what kind of book it is, `: A Novel`. Another subtitle stays: *Mistborn: The Final
///   Empire* is not *Mistborn: Secret History*, and a merge too many costs more than one too few.
/// - Of the author the order of the names goes: "Le Guin, Ursula K." is "Ursula K. Le Guin".
///
/// Never longer than 256 bytes.
public struct MatchKey: Hashable, Sendable {
    public let bytes: [UInt8]

    private static let maximumTitleByteCount = 159
    private static let maximumAuthorByteCount = 96

    /// The key of a title and the name of its first author, in either order of names.
    public init(title: String, author: String) {
        var key = Self.folded(title, limit: Self.maximumTitleByteCount)
        // Folded text holds no byte below 0x20, so this one cannot be part of a title.
        key.append(0x1F)
        Self.append(author, to: &key)
        bytes = key
    }

    /// Whether two titles are the same by all that a key looks at, also behind the bytes that it keeps.
    public static func isSameTitle(_ title: String, _ other: String) -> Bool {
        title == other || folded(title, limit: .max) == folded(other, limit: .max)
    }

    private static func folded(_ title: String, limit: Int) -> [UInt8] {
        let utf8 = Array(title.utf8)
        let proper = withoutGenericSubtitle(withoutSeries(utf8[...]))
        for candidate in [LeadingArticle.textAfterArticle(in: proper) ?? proper, proper, utf8[...]] {
            let key = FoldedText(utf8: candidate, limit: limit).bytes
            if !key.isEmpty { return key }
        }
        return Array(utf8.prefix(limit))
    }

    /// Appends the names of an author in the order of their bytes.
    private static func append(_ author: String, to key: inout [UInt8]) {
        let blank = UInt8(ascii: " ")
        let end = key.count + maximumAuthorByteCount
        let folded = FoldedText(author).bytes
        key.reserveCapacity(key.count + folded.count)
        // Two names, which most have, make no array of names.
        if let place = folded.firstIndex(of: blank), !folded[(place + 1)...].contains(blank) {
            let (given, family) = (folded[..<place], folded[(place + 1)...])
            let isFirst = given.lexicographicallyPrecedes(family)
            key.append(contentsOf: isFirst ? given : family)
            key.append(blank)
            key.append(contentsOf: isFirst ? family : given)
        } else {
            var names = folded.split(separator: blank)
            names.sort { $0.lexicographicallyPrecedes($1) }
            for name in names {
                key.append(contentsOf: name)
                key.append(blank)
            }
            if !names.isEmpty { key.removeLast() }
        }
        if key.count > end { key.removeSubrange(end...) }
    }

    /// Drops a closing bracket that names a place in a series, `(The Locked Tomb #1)` or `(Discworld, 4)`.
    ///
    /// `(Volume 2)` and `(abridged)` tell one work from another and stay.
    private static func withoutSeries(_ title: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = title
        while text.last == UInt8(ascii: " ") { text.removeLast() }
        guard text.last == UInt8(ascii: ")"), let open = text.lastIndex(of: UInt8(ascii: "(")), open > text.startIndex
        else { return title }
        let inside = text[open...].dropFirst().dropLast()
        let isSeries = inside.contains(UInt8(ascii: "#")) || endsInCommaAndNumber(inside)
        return isSeries ? text[..<open] : title
    }

    private static func endsInCommaAndNumber(_ text: ArraySlice<UInt8>) -> Bool {
        guard let comma = text.lastIndex(of: UInt8(ascii: ",")) else { return false }
        let number = text[(comma + 1)...].drop { $0 == UInt8(ascii: " ") }
        return !number.isEmpty && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Drops `: A Novel`, `: An Autobiography`: a subtitle that begins with A or An describes and rarely names.
    private static func withoutGenericSubtitle(_ title: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let colon = title.firstIndex(of: UInt8(ascii: ":")), colon > title.startIndex else { return title }
        let subtitle = title[(colon + 1)...]
        guard let rest = LeadingArticle.textAfterArticle(in: subtitle) else { return title }
        let article = subtitle[..<rest.startIndex].filter { $0 != UInt8(ascii: " ") }
        return article.count < 3 ? title[..<colon] : title
    }
}
