import Testing

@testable import BookDB
@testable import RecordStore

@Suite struct SearchHighlightTests {
    private func highlighted(_ text: String, _ query: String) -> String {
        let ranges = WorkSearchFixture.search(query).highlights(in: text)
        var result = ""
        var end = text.startIndex
        for range in ranges {
            result += text[end..<range.lowerBound] + "[" + text[range] + "]"
            end = range.upperBound
        }
        return result + text[end...]
    }

    @Test(arguments: [
        ("La Misère du monde", "misere", "La [Misère] du monde"),
        ("La Mise\u{300}re du monde", "misere", "La [Mise\u{300}re] du monde"),
        ("La Mise\u{300}re", "mise", "La [Mise\u{300}]re"),
        ("L’Étranger", "letranger", "[L’Étranger]"), ("L’Étranger", "étr", "L’[Étr]anger"),
        ("Straße ohne Ende", "strasse", "[Straße] ohne Ende"), ("Straße", "stras", "[Straß]e"),
        ("Straße", "se", "Stra[ße]"),
        ("The ﬁnal cut", "fi", "The [ﬁ]nal cut"), ("The ﬁnal cut", "inal", "The [ﬁnal] cut"),
        ("The Hobbit", "hob the", "[The] [Hob]bit"), ("The Hobbit", "hobit", "The [Hobbit]"),
        ("night knight", "night", "[night] knight"), ("knight, the night", "night", "knight, the [night]"),
        ("a knight", "night", "a k[night]"), ("ハリー・ポッター", "ハリー", "[ハリー]・ポッター"), ("!!!", "!!!", "[!!!]"),
        ("Harry Potter", "potter harry", "[Harry] [Potter]"), ("Harry", "arr harry", "[Harry]"),
        ("Harry", "zz", "Harry"),
        ("", "a", ""), ("Harry", "", "Harry"), ("O’Brien", "obrien", "[O’Brien]"), ("👨‍👩‍👧 family", "fam", "👨‍👩‍👧 [fam]ily"),
    ])
    func `the words typed are marked in the text as it was written`(text: String, query: String, expected: String) {
        #expect(highlighted(text, query) == expected)
    }

    @Test func `a match marks words near the typed one only when it forgave a typo`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.add("Larry", by: "Harry Nobody")
        let exact = try #require(try store.snapshot.works.search("harry").first().first)
        #expect(exact.titleHighlights.isEmpty && exact.highlights(in: exact.item.authors).count == 1)
        let mistyped = try #require(try store.snapshot.works.search("larri").first().first)
        #expect(mistyped.band == .nearTitle && mistyped.titleHighlights.count == 1)
    }
}

/// A search of a library without works.
enum WorkSearchFixture {
    static func search(_ query: String) -> WorkSearch {
        guard let store = try? BookStore.inMemory(device: 1) else { preconditionFailure("a store in memory opens") }
        return store.snapshot.works.search(query)
    }
}
