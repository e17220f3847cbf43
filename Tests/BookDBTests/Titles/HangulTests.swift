import Foundation
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore
@testable import Filing

/// Korean comes in syllables or letter by letter, depending on where it was typed. It is one text.
@Suite struct HangulTests {
    static let titles = ["한국의 역사", "채식주의자", "토지", "82년생 김지영", "엄마를 부탁해", "아몬드 AND 소년", "값 없는 삶", "뷁"]

    @Test func `every syllable folds the same in one piece and letter by letter`() {
        for scalar in (0xAC00...0xD7A3 as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let text = String(scalar)
            let letters = text.decomposedStringWithCanonicalMapping
            #expect(letters.unicodeScalars.count > 1)
            #expect(FoldedText(letters) == FoldedText(text), "\(text)")
            #expect(FoldedText("a" + letters + letters) == FoldedText("a" + text + text), "\(text)")
        }
    }

    @Test func `letters that make no syllable stay as they are, and a blank keeps them apart`() {
        #expect(FoldedText("\u{1161}\u{1100}").bytes == Array("\u{1161}\u{1100}".utf8))
        #expect(FoldedText("\u{1100} \u{1161}").bytes == Array("\u{1100} \u{1161}".utf8))
        #expect(FoldedText("\u{1100}-\u{1161}").bytes == Array("\u{1100} \u{1161}".utf8))
        #expect(FoldedText("각\u{11A8}").bytes == Array("각\u{11A8}".utf8))
        #expect(FoldedText("가a\u{11A8}").bytes == Array("가a\u{11A8}".utf8))
    }

    @Test(arguments: titles)
    func `a title is found, matched and shelved in either form`(title: String) async throws {
        let letters = title.decomposedStringWithCanonicalMapping
        try await withLibrary { store in
            for (stored, asked) in [(title, letters), (letters, title)] {
                let id = try await store.write { library in
                    let author = try library.insert(Author(stored))
                    let id = try library.insert(
                        Work(title: stored, authors: [author], series: [SeriesMembership(name: stored, number: "1")]))
                    try library.set(UserLibraryEntry(for: id, tags: [stored]))
                    return id
                }
                let works = store.snapshot.works
                #expect(try works.search(asked).first(5).map(\.item.id).contains(id))
                #expect(try store.snapshot.authors.named(asked) != nil)
                #expect(works.list(.tag(asked)).map(\.id).contains(id))
                #expect(works.list(.series(asked)).map(\.id).contains(id))
                #expect(MatchKey(title: stored, author: stored) == MatchKey(title: asked, author: asked))
                #expect(works.list(.titled(asked)).map(\.id).contains(id))
                try await store.write { library in _ = try library.delete(id) }
            }
        }
    }
}
