/// The English words of the sample library, the common ones first.
enum SampleWords {
    static let nouns = words(
        """
        house garden river night sea city daughter song winter shadow road book stone bird light tree island king fire \
        letter door mountain star summer mirror ghost moon forest wind rain bridge clock castle ship queen wolf glass \
        tower key map rose secret war promise storm orchard lantern thief harbour crow journey field crown salt dream \
        valley painter widow library tide thread sparrow kingdom sword bone silence well maker keeper child mother \
        father sister brother stranger soldier teacher doctor sailor baker weaver miller hunter dancer singer witch \
        giant dragon fox hare bear lion swan owl heron raven whale spider bee moth apple pear bread honey wine tea \
        kettle table chair window roof attic cellar kitchen corridor staircase bell violin piano drum \
        horn carnival circus theatre museum hospital school station train carriage bicycle balloon comet planet \
        galaxy engine machine robot signal code cipher number circle triangle horizon desert oasis canyon glacier \
        meadow marsh lagoon delta canal cliff cave mine quarry ruin temple chapel abbey market bazaar street alley \
        square fountain statue portrait sketch poem story legend myth riddle rumour debt inheritance wedding funeral \
        birthday holiday century decade hour minute afternoon morning evening midnight dawn dusk snow ice frost fog \
        cloud thunder lightning ember ash smoke dust sand clay iron silver gold copper amber pearl diamond velvet silk \
        wool linen button needle ribbon coat hat glove boot ring locket coin candle lamp
        """)

    static let adjectives = words(
        """
        last old little long dark lost secret quiet golden other white black red blue green first hidden silent broken \
        deep cold wild distant empty burning hollow narrow crooked bitter gentle patient restless northern southern \
        eastern western invisible unfinished forgotten borrowed stolen painted wooden iron silver glass paper midnight \
        winter summer autumn ordinary remarkable curious impossible improbable imperfect faithful careless brave wicked \
        honest crimson pale amber ivory emerald violet grey ancient modern foreign second third seventh hundredth \
        wandering sleeping laughing weeping dancing drowning whispering shining floating falling rising unquiet endless
        """)

    static let verbs = words(
        "mending finding losing keeping leaving counting painting following remembering forgetting reading crossing")

    static let numbers = words("Two Three Four Five Six Seven Nine Ten Twelve Thirteen Forty Ninety-Nine 7 12 100 1001")

    static let fields = words(
        """
        fiction history fantasy science-fiction mystery biography poetry travel cooking gardening mathematics music art \
        philosophy physics biology children romance horror essays memoir nature politics economics computing
        """)

    static let tags = words(
        "favourites to-lend book-club holiday signed gift audiobook reread classics library short long comfort")

    static let publishers = [
        "Heron & Pike", "Lantern Yard", "Verlag am Deich", "Éditions du Pont", "North Quay Press", "Casa Alameda",
        "Blue Door Books", "Saltmarsh", "Oficina do Livro Azul", "Kettle & Co.", "Norrsken", "Meridian House",
    ]

    static let formats = ["Paperback", "Hardcover", "Kindle Edition", "Audiobook", "Mass Market Paperback", "ebook"]

    static let syllables = words(
        "al bel cor dan el fal gor hel il jar kel lor mel nar or pel quil ros sel tor ul vel wen yr")
    static let placeEndings = words(
        "ia mora dale heim wick gard stead vere minster lund haven mouth cliffe moor fell ra")

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
    }
}
