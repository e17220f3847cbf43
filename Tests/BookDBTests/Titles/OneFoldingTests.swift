import Foundation
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore
@testable import Filing

/// Filing, search, names and matches see a text alike, and alike however Unicode spells it.
@Suite struct OneFoldingTests {
    /// Every character of `FoldingTable.unicodeVersion` that is a letter or number, but for Hangul's syllables (`HangulTests`).
    private static let characters = (0x80...0x2FA1F as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init).filter {
        !(0xAC00...0xD7A3).contains($0.value) && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
            && $0.properties.age?.major ?? .max <= 14
    }

    @Test func `a character folds and files the same in every spelling that Unicode takes for it`() {
        var count = 0
        var others: Set<String> = []
        for scalar in Self.characters {
            let text = String(scalar)
            let spellings = [text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping]
            for spelling in Set(spellings.map { Array($0.utf8) }) where spelling != Array(text.utf8) {
                count += 1
                let other = String(decoding: spelling, as: UTF8.self)
                for (before, after) in [("", ""), ("a ", "z"), ("и", "и"), ("は", "は"), ("1", "2")] {
                    let (text, other) = (before + text + after, before + other + after)
                    let isFiledAlike = FilingTailoring.allCases.allSatisfy { filing in
                        let key = Self.key(text, filing)
                        // Without a letter a title is filed as it is written.
                        return key == Self.key(other, filing) || key.first == TitleKey.punctuationLead
                    }
                    if !isFiledAlike || FoldedText(text).bytes != FoldedText(other).bytes {
                        others.insert("U+" + String(scalar.value, radix: 16))
                    }
                }
            }
        }
        #expect(others.isEmpty)
        #expect(count > 1_900)
    }

    @Test func `capitals fold and file as small letters do, in every script that has both`() {
        var count = 0
        for scalar in Self.characters where scalar.properties.generalCategory == .uppercaseLetter {
            let small = scalar.properties.lowercaseMapping
            guard small.unicodeScalars.count == 1, small != String(scalar) else { continue }
            count += 1
            #expect(FoldedText(String(scalar)) == FoldedText(small), "\(scalar)")
            #expect(Self.key(String(scalar)) == Self.key(small), "\(scalar)")
        }
        #expect(count > 1_300)
    }

    /// What is stored, what is typed to find it.
    static let pairs = [
        ("ハリー・ポッター", "はりー"), ("ハリー・ポッター", "ﾊﾘｰ"), ("はりいぽったあ", "ハリーポッター"), ("シャーロック・ホームズ", "ｼｬｰﾛｯｸ"),
        ("ガリバー旅行記", "ｶﾞﾘﾊﾞｰ"), ("ガリバー旅行記", "カ\u{3099}リハ\u{3099}ー"), ("いすゞ", "いすず"), ("金閣寺", "\u{F90A}閣寺"),
        ("Война и мир", "Вои\u{306}на"), ("Мой дядя", "Мои\u{306}"), ("Їжак", "І\u{308}жак"),
        ("কোলকাতা", "\u{995}\u{9C7}\u{9BE}\u{9B2}কাতা"), ("பொன்னியின் செல்வன்", "ப\u{BC6}\u{BBE}ன்னியின்"),
        ("ಕೊಡಗು", "ಕ\u{CC6}\u{CC2}ಡಗು"), ("ഒരു ദേശത്തിന്റെ കൊ", "ക\u{D46}\u{D3E}"), ("ତୋ", "ତ\u{B47}\u{B3E}"),
        ("क़लम", "कलम"), ("𞤀𞤣𞤤𞤢𞤥", "𞤢𞤣𞤤𞤢𞤥"), ("𐐔𐐯𐑅𐐨𐑉𐐯𐐻", "𐐼𐐯𐑅𐐨𐑉𐐯𐐻"), ("Kırmızı Kar", "KIRMIZI"),
        ("İstanbul", "istanbul"),
        ("كتاب الأيام", "کتاب"), ("שלום", "שלומ"), ("9½ Weeks", "9 1/2 weeks"),
    ]

    @Test(arguments: pairs)
    func `a title is found, and its words match, however they are typed`(stored: String, typed: String) async throws {
        #expect(FoldedText(stored).bytes.starts(with: FoldedText(typed).bytes) || stored.hasSuffix("കൊ"))
        try await withLibrary { store in
            let id = try await store.write { library in
                _ = try library.insert(Work("Something else"))
                return try library.insert(Work(title: stored))
            }
            #expect(try store.snapshot.works.search(typed).first(5).map(\.item.id).first == id)
            try await store.compact()
            #expect(try store.snapshot.works.search(typed).first(5).map(\.item.id).first == id)
        }
    }

    @Test func `a name, a tag and a series are the same in hiragana, katakana and half width`() async throws {
        try await withLibrary { store in
            let spellings = ["シャーロック", "しゃあろっく", "ｼｬｰﾛｯｸ"]
            for spelling in spellings {
                try await store.write { library in
                    let author = try library.author(named: spelling) ?? library.insert(Author(spelling))
                    let id = try library.insert(
                        Work(
                            title: spelling, authors: [author], series: [SeriesMembership(name: spelling, number: "1")])
                    )
                    try library.set(UserLibraryEntry(for: id, tags: [spelling]))
                }
            }
            let snapshot = store.snapshot
            #expect(try snapshot.authors.count == 1)
            for spelling in spellings {
                #expect(snapshot.works.list(.tag(spelling)).count == 3)
                #expect(snapshot.works.list(.series(spelling)).count == 3)
                #expect(snapshot.works.list(.titled(spelling)).count == 3)
            }
        }
    }

    @Test func `what only orders titles does not make two tags one`() {
        // Voicing and the size of a kana, a tone: other words, filed side by side.
        for (one, other) in [("ハート", "バード"), ("びょういん", "びよういん"), ("ขาว", "ข้าว"), ("мой", "мои")] {
            #expect(FoldedText(one) != FoldedText(other))
            #expect(Self.key(one) == Self.key(other) || one == "мой")
        }
    }

    private static func key(_ title: String, _ filing: FilingTailoring = .standard) -> [UInt8] {
        TitleKey.make(title: title, sortTitle: title, language: nil, filing: filing)
    }
}
