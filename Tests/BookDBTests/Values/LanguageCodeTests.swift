import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

struct LanguageCodeTests {
    @Test(arguments: [
        ("en", "en"), ("EN-us", "en"), ("pt_BR", "pt"), ("eng", "en"), ("Ger", "de"), ("mal", "ml"), ("ml", "ml"),
        ("may", "ms"), ("mac", "mk"),
        ("BEL", "be"), ("tel", "te"), ("guj", "gu"), ("mar", "mr"), ("kaz", "kk"), ("mlt", "mt"), ("bos", "bs"),
        ("mul", "mul"), ("grc", "grc"),
        ("English", "en"), ("FRANÇAIS", "fr"), ("franc\u{327}ais", "fr"), ("русский", "ru"), ("हिन्दी", "hi"), ("中文", "zh"),
        ("Norwegian Bokmål", "nb"), ("Haitian Creole", "ht"), (" en ", "en"), ("de/en", "de"),
        ("German, English", "de"), ("Greek (modern)", "el"),
        ("English and French", "en"),
    ])
    func `codes, names and lists of them come to one code`(text: String, code: String) {
        #expect(LanguageCode(text)?.description == code)
    }

    @Test(arguments: ["", "-", "x", "e1", "Klingon", "old Norse", "no language", "1984", "--en", "é"])
    func `what begins with no language has no code`(text: String) {
        #expect(LanguageCode(text) == nil)
    }

    @Test func `a language has one code, and no two languages share a word`() {
        let codes = LanguageTable.codes
        #expect(Set(codes.values.map(\.description)).count == 184)
        for (word, code) in codes {
            #expect(LanguageCode(word) == code && LanguageCode(code.description) == code, "\(word)")
            #expect(code.description.utf8.count == 2 && word == word.lowercased(), "\(word)")
        }
    }

    @Test func `works whose languages are spelled differently are in one list`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.write { library in
            for text in ["ml", "mal", "Malayalam", "en"] { try library.insert(Work(title: text, language: text)) }
        }
        #expect(store.snapshot.works.list(.language("ml")).count == 3)
        #expect(try store.snapshot.works.languages.map { $0.count } == [1, 3])
    }

    @Test(arguments: [
        ("2", "2"), ("2.5", "2.5"), ("1,05", "1.05"), ("#1-3", "1"), ("1.5-2.5", "1.5"), ("3.1.10", "3.1"),
        ("Band 7", "7"),
        ("1.23456", "1.2345"), ("12.", "12"), ("1.-5", "1"),
    ])
    func `the number of a volume is the first in its text`(text: String, number: String) {
        #expect(SeriesNumber.text(ofKey: SeriesNumber.key(text)) == number)
    }
}
