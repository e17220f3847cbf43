import BookDB
import TestSupport
import Testing

@Suite struct ISBNTests {
    static let hyperion: UInt64 = 9_780_553_283_686

    @Test(arguments: [
        "9780553283686", "978-0-553-28368-6", "978–0–553–28368–6", "978\u{2011}0\u{2011}553\u{2011}28368\u{2011}6",
        "978 0 553 28368 6", "ISBN 9780553283686", "ISBN-13: 978-0553283686", "isbn13 9780553283686",
        "urn:isbn:9780553283686", "URN:ISBN:9780553283686", "=\"9780553283686\"", "9780553283686.0", "[9780553283686]",
        " 9780553283686\n", "\u{200E}978-0553283686\u{200F}", "９７８０５５３２８３６８６",
        "0553283685", "0-553-28368-5", "=\"0553283685\"", "ISBN-10 0553283685", "ISBN 0553283685", "553283685",
        "urn:isbn:0-553-28368-5", "0553283685.0",
    ])
    func `every way to write an ISBN gives the same 13 digits`(text: String) throws {
        #expect(try ISBN(text).digits == Self.hyperion)
    }

    @Test func `the old spelling comes back for 978 and not for 979`() throws {
        #expect(try ISBN("9780553283686").isbn10 == "0553283685")
        #expect(try ISBN("9780743298902").isbn10 == "074329890X")
        #expect(try ISBN("9781401249007").isbn10 == "1401249000")
        #expect(try ISBN("9791032300824").isbn10 == nil)
    }

    @Test(arguments: ["074329890X", "074329890x", "0-7432-9890-X", "074329890\u{425}"])
    func `an X of any look is ten in the last place`(text: String) throws {
        #expect(try ISBN(text).digits == 9_780_743_298_902)
    }

    @Test(arguments: [
        ("", ISBN.Problem.empty), ("=\"\"", .empty), (" - ", .empty), ("ISBN", .empty),
        ("9780306406151", .checkDigit(expected: "7")), ("978030640615X", .checkDigit(expected: "7")),
        ("0306406153", .checkDigit(expected: "2")), ("0743298901", .checkDigit(expected: "X")),
        ("9.78031E+12", .roundedBySpreadsheet), ("9.78043902348e+12", .roundedBySpreadsheet),
        ("9,78031E+12", .roundedBySpreadsheet), ("9E12", .roundedBySpreadsheet), ("978E+10", .roundedBySpreadsheet),
        ("12345", .wrongLength(5)), ("97805532836861", .wrongLength(14)), ("7", .wrongLength(1)),
        ("X553283685", .invalidCharacter("X")), ("97805532X3686", .invalidCharacter("X")),
        ("B00AK3TGWK", .invalidCharacter("B")), ("05532#3685", .invalidCharacter("#")),
        ("9780553283686.5", .invalidCharacter(".")),
        ("9790230671187", .notABook), ("2940012572707", .notABook), ("4006381333931", .notABook),
    ])
    func `what is not an ISBN says why`(text: String, problem: ISBN.Problem) {
        #expect(throws: problem) { try ISBN(text) }
        #expect(!problem.description.isEmpty)
    }

    @Test func `digits are checked as strictly as text`() {
        #expect(ISBN(digits: 9_780_553_283_686) != nil)
        #expect(ISBN(digits: 9_780_553_283_687) == nil)
        #expect(ISBN(digits: 9_790_230_671_187) == nil)
        #expect(ISBN(digits: 0) == nil)
        #expect(ISBN(digits: .max) == nil)
    }

    @Test func `every single wrong digit is noticed`() {
        let right = Self.hyperion
        var place: UInt64 = 1
        for _ in 0..<13 {
            let digit = right / place % 10
            for other in UInt64(0)...9 where other != digit {
                #expect(ISBN(digits: right - digit * place + other * place) == nil)
            }
            place *= 10
        }
    }

    @Test func `ten digits lead to thirteen and back for any book`() throws {
        var generator = SeededGenerator(seed: 1970)
        for _ in 0..<2_000 {
            let nine = UInt64.random(in: 0..<1_000_000_000, using: &generator)
            let isbn = try #require((0...9).lazy.compactMap { ISBN(digits: (978_000_000_000 + nine) * 10 + $0) }.first)
            let ten = try #require(isbn.isbn10)
            #expect(ten.count == 10)
            #expect(try ISBN(ten) == isbn)
            #expect(try ISBN(isbn.description) == isbn)
        }
    }

    @Test func `no text whatever traps`() {
        var generator = SeededGenerator(seed: 42)
        let alphabet = Array("0123456789Xx-.,eE+=\" ISBNurn:ü－\u{200E}\u{301}９")
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...40, using: &generator)
            let text = String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "0" })
            if let isbn = try? ISBN(text) {
                #expect(ISBN(digits: isbn.digits) == isbn, "“\(text)”, seed 42")
            }
        }
    }

    @Test func `ISBNs order by their number`() throws {
        #expect(try ISBN("0553283685") < ISBN("9791032300824"))
    }
}
