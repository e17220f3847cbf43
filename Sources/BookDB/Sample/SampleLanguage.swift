/// What titles and names of one language are made of.
struct SampleLanguage: Sendable {
    let code: String
    /// Of a hundred books.
    let weight: Int
    /// With their article where the language has one.
    let nouns: [String]
    let and: String
    /// Stands before the name of a place.
    let of: String
    let givenNames: [String]
    /// Family names are a beginning, and an ending that sounds of the language.
    let familyBeginnings: [String]
    let familyEndings: [String]

    static let all = [
        english, german, french, spanish, italian, portuguese, dutch, swedish, polish, russian, greek, japanese,
    ]

    static let weights = all.map(\.weight)

    private init(
        _ code: String, weight: Int, and: String, of: String, nouns: String, given: String, family: String,
        endings: String
    ) {
        self.code = code
        self.weight = weight
        self.and = and
        self.of = of
        self.nouns = nouns.split(separator: "|").map(String.init)
        givenNames = given.split(separator: " ").map(String.init)
        familyBeginnings = family.split(separator: " ").map(String.init)
        familyEndings = endings.split(separator: " ").map(String.init)
    }

    static let english = SampleLanguage(
        "en", weight: 64, and: "and", of: "of", nouns: "",
        given: """
            Anna James Mary Thomas Ellen Robert Alice Henry Ruth Daniel Grace Peter Nora Samuel Clara Hugh Edith Simon \
            Rose Martin Judith Owen Helen Paul Agnes Victor Iris Walter Lydia Felix Joan Adam Miriam Colin Esther Neil
            """,
        family: "Ash Bram Cald Dun El Fen Gar Hal Ing Kel Lang Mar Nor Old Pem Quar Rad Sel Thorn Ul Ves Wex Yar Zel",
        endings: "well ton by ley ford worth field more wick ham stead brook low croft den hurst son kin shaw mere")

    static let german = SampleLanguage(
        "de", weight: 8, and: "und", of: "von",
        nouns: """
            Der Garten|Die Brücke|Das Mädchen|Der Fluß|Die Straße|Das Öl|Der König|Die Nächte|Das Haus|Der Spiegel|\
            Die Bücher|Das Glück|Der Türmer|Die Mühle|Das Erbe|Ein Sommer|Eine Reise|Ein Jäger|Die Uhr|Der Wald|\
            Das Gedächtnis|Die Königin|Der Überläufer|Die Gärtnerin|Das Feuer|Der Schnee|Die Stille|Das Meer
            """,
        given: "Anna Karl Jürgen Käthe Lena Otto Günter Ulrike Björn Änne Max Sibylle Jörg Vera",
        family: "Berg Hof Stein Wald Kö Mül Schrö Brü Lind Hart Weiß Rosen Gold Eich",
        endings: "mann bauer bach ler feld hauser inger meier stätter wirth")

    static let french = SampleLanguage(
        "fr", weight: 8, and: "et", of: "de",
        nouns: """
            Le Jardin|La Forêt|L’Été|Les Étoiles|Le Château|La Mère|L’Île|Le Garçon|La Fenêtre|Les Années|L’Œuvre|\
            Le Cœur|La Lumière|L’Ombre|Un Hiver|Une Leçon|Les Frères|Le Théâtre|La Clé|Le Péché|L’Héritage|La Côte|\
            Le Maître|Les Pêcheurs|La Forêt noire|Le Dernier Été|L’Âme|Un Été sans fin
            """,
        given: "Élise René Chloé Hélène Benoît Irène Léon Agnès Noël Zoé Maëlle André Solène Rémi",
        family: "Beau Char Dela Fon Gui Len Mon Per Rou Val Ver Clé",
        endings: "ville mont rand cier ret zin vière tier champ lène neau dière")

    static let spanish = SampleLanguage(
        "es", weight: 6, and: "y", of: "de",
        nouns: """
            La Sombra|El Jardín|Los Años|La Montaña|El Niño|Las Lágrimas|La Canción|El Corazón|El Mañana|La Ñusta|\
            Un Río|Una Razón|El Árbol|La Ciudad|El Último Tren|Los Caminos|La Estación|El Océano|La Pasión|El Águila
            """,
        given: "José María Inés Andrés Lucía Iñigo Begoña Raúl Sofía Ángel Núria Tomás",
        family: "Alva Cas Fer Gar Herr Iba Lam Mor Nú Per Quin Sal",
        endings: "rez dez ado ero illa uño eda anza ández ego")

    static let italian = SampleLanguage(
        "it", weight: 3, and: "e", of: "di",
        nouns: "Il Giardino|La Città|L’Isola|Gli Amici|Lo Specchio|La Virtù|Il Caffè|Un Inverno|Le Stagioni|La Libertà",
        given: "Nicolò Chiara Lucà Giulia Dario Elettra Piero Noemi",
        family: "Bel Cor Fio Man Riz Sal Tor Ven",
        endings: "ini etti one acci elli anti ardo olò")

    static let portuguese = SampleLanguage(
        "pt", weight: 2, and: "e", of: "de",
        nouns: "O Jardim|A Manhã|Os Irmãos|A Canção|O Coração|As Estações|O Avô|A Razão|Um Verão|Uma Ilusão",
        given: "João Inês Simão Conceição Luís Estêvão Mônica Tânia",
        family: "Al Bra Car Mon Pin Sal Tei Var",
        endings: "meida gança valho teiro xeira galhães ção reira")

    static let dutch = SampleLanguage(
        "nl", weight: 2, and: "en", of: "van",
        nouns: "De Tuin|Het Huis|De Zee|Een Winter|De Geliefden|Het Ijs|De Reünie|Het Geheim|De Zonen|De Coöperatie",
        given: "Joost Femke Daniël Saskia Wouter Noëlle Pieter Mirjam",
        family: "Hoog Kuip Lind Meer Veen Zand Berk Haver",
        endings: "stra ma berg dijk enaar hof man kamp")

    static let swedish = SampleLanguage(
        "sv", weight: 2, and: "och", of: "i",
        nouns: """
            Älven|Ön|Den långa natten|Ett år|Åskan|Det gröna huset|Hösten|En vän|Skärgården|Drömmen|Kärleken|Vågorna
            """,
        given: "Åsa Göran Märta Björn Örjan Linnéa Sten Ebba",
        family: "Berg Dal Ek Gran Lind Sjö Ström Väster",
        endings: "ström lund gren qvist mark strand stedt fors")

    static let polish = SampleLanguage(
        "pl", weight: 2, and: "i", of: "z",
        nouns: "Ogród|Miasto|Król|Żona|Łąka|Źródło|Cień|Święto|Księga|Pamięć|Ścieżka|Dąb|Czas|Śnieg",
        given: "Łucja Stanisław Zofia Małgorzata Jędrzej Michał Grażyna Paweł",
        family: "Kow Wiś Dąb Zieli Maj Szy Woł Żur",
        endings: "alski owski niewska czyk ecki ański ówna icz")

    static let russian = SampleLanguage(
        "ru", weight: 2, and: "и", of: "из",
        nouns: "Дом|Сад|Река|Чайник|Ёлка|Зима|Письмо|Остров|Музей|Тень|Город|Отец|Дети|Снег|Поезд|Осень",
        given: "Анна Пётр Мария Сергей Елена Алексей Фёдор Юлия",
        family: "Вол Гор Зим Кор Лес Мор Сав Тих",
        endings: "ов ин овский енко ев ский")

    static let greek = SampleLanguage(
        "el", weight: 1, and: "και", of: "από",
        nouns: "Ο κήπος|Η θάλασσα|Το νησί|Η μνήμη|Ο χειμώνας|Το γράμμα|Οι αδελφές|Η σιωπή",
        given: "Ελένη Γιώργος Ζωή Ανδρέας", family: "Παπ Καρ Θεο Μαν", endings: "άκης όπουλος ίδης άτος")

    static let japanese = SampleLanguage(
        "ja", weight: 1, and: "と", of: "の",
        nouns: "猫の庭|雪の国|海辺の家|夜のピアノ|灯台|秋の手紙|時計塔|風の道|ガラスの靴|東の町",
        given: "春 健 美咲 徹 葵", family: "森 川 山 石 月", endings: "田 本 野 原 村")
}
