import Testing

@testable import Filing

@Suite struct TitleMatchTests {
    @Test(arguments: [
        ("J. R. R. Tolkien", "Tolkien, J. R. R."),
        ("Jane  Austen", "Austen, Jane"),
        ("Tolkien, J. R. R.", "Tolkien, J. R. R."),
        ("Homer", "Homer"),
        ("", ""),
        ("Kurt Vonnegut Jr.", "Vonnegut Jr., Kurt"),
        ("Martin Luther King, Jr.", "King Jr., Martin Luther"),
        ("William Strunk III", "Strunk III, William"),
        ("Ursula K. Le Guin", "Le Guin, Ursula K."),
        ("A. E. Van Vogt", "Van Vogt, A. E."),
        ("Daphne du Maurier", "du Maurier, Daphne"),
        ("Jean de La Fontaine", "La Fontaine, Jean de"),
        ("Simone de Beauvoir", "Beauvoir, Simone de"),
        ("Ludwig van Beethoven", "Beethoven, Ludwig van"),
        ("Antoine de Saint-Exupéry", "Saint-Exupéry, Antoine de"),
        ("Ann Lee (Translator)", "Lee, Ann"),
        ("(anonymous)", "(anonymous)"),
        ("The Onion", "The Onion"),
        ("Brothers and Sons", "Brothers and Sons"),
        ("Society of Authors", "Society of Authors"),
        ("村上 春樹", "村上 春樹"),
        ("De Quincey", "Quincey, De"),
        ("Dr. Jane Goodall", "Goodall, Jane"),
        ("Mr. Bean", "Bean"),
        ("Prof. Dr. Ann Lee PhD", "Lee PhD, Ann"),
        ("Oliver Sacks, M.D., PhD", "Sacks M.D. PhD, Oliver"),
        ("Ann Lee, Bob Ray", "Ann Lee, Bob Ray"),
        ("Gabriel García Márquez", "García Márquez, Gabriel"),
        ("Juana Inés de la Cruz", "Cruz, Juana Inés de la"),
        ("Walter de la Mare", "de la Mare, Walter"),
        ("Rogier van der Weyden", "Weyden, Rogier van der"),
        ("Dick Van Der Berg", "Van Der Berg, Dick"),
        ("Khalid bin Walid", "bin Walid, Khalid"),
        ("Ibn Khaldun", "Ibn Khaldun"),
        ("de la Mare", "de la Mare"),
        ("한강 김", "한강 김"),
        ("Random House Inc.", "Random House Inc."),
    ])
    func `an author files under the family name`(name: String, expected: String) {
        #expect(AuthorSortName.derive(from: name) == expected)
    }

    @Test func `every Smith comes before Smith Jones`() {
        let names = ["Smit, Zoë", "Smith", "Smith, Ann", "Smith, Zoë", "Smith Jones, Ann", "Smithers, Ann"]
        let keys = names.map { AuthorSortName.key($0, filing: .standard) }
        for (one, next) in zip(keys, keys.dropFirst()) {
            #expect(one.lexicographicallyPrecedes(next), "\(String(decoding: one, as: UTF8.self))")
        }
    }

    @Test func `an author key has at most 96 bytes`() {
        for name in [
            String(repeating: "Ж", count: 90), String(repeating: "ab", count: 70) + ", x",
            "x, " + String(repeating: "é", count: 200),
        ] {
            let key = AuthorSortName.key(name, filing: .standard)
            #expect(key.count <= 96 && key.count > 90)
            #expect(key.allSatisfy { $0 >= 0x20 && $0 < 0xFF })
        }
    }

    @Test(arguments: [
        ("Gideon the Ninth (The Locked Tomb #1)", "Gideon the Ninth"),
        ("The Hobbit", "Hobbit"),
        ("Mort (Death, #1; Discworld, #4)", "MORT"),
        ("Mort (Discworld, 4)", "Mort"),
        ("Emma: A Novel", "Emma"),
        ("Walden, or Life in the Woods", "Walden; Or, Life in the Woods"),
        ("Don’t Look Now", "Dont look now"),
    ])
    func `one work under two titles matches`(one: String, other: String) {
        #expect(MatchKey(title: one, author: "Tamsyn Muir") == MatchKey(title: other, author: "Muir, Tamsyn"))
    }

    @Test(arguments: [
        ("Mistborn: The Final Empire", "Mistborn: Secret History"),
        ("Naruto (Volume 1)", "Naruto (Volume 2)"),
        ("Emma", "Emma (abridged)"),
        ("The Trial", "The Trials"),
        ("!!!", "???"),
        ("戦争", "平和"),
    ])
    func `two works do not match`(one: String, other: String) {
        #expect(MatchKey(title: one, author: "Ann Lee") != MatchKey(title: other, author: "Ann Lee"))
    }

    @Test func `an author matches in either order of names and no other author does`() {
        func key(_ author: String) -> MatchKey { MatchKey(title: "Emma", author: author) }
        #expect(key("Ursula K. Le Guin") == key("Le Guin, Ursula K."))
        #expect(key("J.R.R. Tolkien") == key("J. R. R. Tolkien"))
        #expect(key("Ann Lee") != key("Anna Lee"))
    }

    @Test func `a match key has at most 256 bytes`() {
        let key = MatchKey(title: String(repeating: "жук ", count: 200), author: String(repeating: "Лев ", count: 200))
        #expect(key.bytes.count <= 256 && key.bytes.count > 240)
        #expect(MatchKey(title: "", author: "").bytes.isEmpty == false)
    }
}
