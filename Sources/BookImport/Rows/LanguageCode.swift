/// Brings the language codes of catalogues to one spelling.
enum LanguageCode {
    /// `eng` → `en`, `en_us` → `en-US`, `English` → `en`; a code not known here stays as it is.
    static func normalised(_ text: String) -> String? {
        guard let code = CleanText.line(text) else { return nil }
        let parts = code.split { $0 == "-" || $0 == "_" }
        guard let first = parts.first else { return nil }
        let language = first.lowercased()
        let short = twoLetters[language] ?? names[code.lowercased()] ?? (first.count <= 3 ? language : code)
        guard parts.count == 2, parts[1].count == 2, short.count <= 3 else { return short }
        return short + "-" + parts[1].uppercased()
    }

    /// ISO 639-2 codes, bibliographic and terminological, of the languages libraries hold most of.
    private static let twoLetters = [
        "eng": "en", "fre": "fr", "fra": "fr", "ger": "de", "deu": "de", "spa": "es", "ita": "it", "por": "pt",
        "dut": "nl", "nld": "nl", "swe": "sv", "dan": "da", "nor": "no", "nob": "nb", "nno": "nn", "fin": "fi",
        "ice": "is", "isl": "is", "pol": "pl", "cze": "cs", "ces": "cs", "slo": "sk", "slk": "sk", "hun": "hu",
        "rum": "ro", "ron": "ro", "bul": "bg", "srp": "sr", "hrv": "hr", "slv": "sl", "rus": "ru", "ukr": "uk",
        "gre": "el", "ell": "el", "tur": "tr", "ara": "ar", "per": "fa", "fas": "fa", "heb": "he", "hin": "hi",
        "ben": "bn", "urd": "ur", "tam": "ta", "tel": "te", "mal": "ml", "ind": "id", "may": "ms", "msa": "ms",
        "vie": "vi", "tha": "th", "chi": "zh", "zho": "zh", "jpn": "ja", "kor": "ko", "lat": "la", "cat": "ca",
        "baq": "eu", "eus": "eu", "glg": "gl", "wel": "cy", "cym": "cy", "gle": "ga", "est": "et", "lav": "lv",
        "lit": "lt", "afr": "af", "epo": "eo", "geo": "ka", "kat": "ka", "arm": "hy", "hye": "hy",
    ]

    /// Names of languages, in English and in themselves.
    private static let names = [
        "english": "en", "french": "fr", "français": "fr", "german": "de", "deutsch": "de", "spanish": "es",
        "español": "es", "italian": "it", "italiano": "it", "portuguese": "pt", "português": "pt", "dutch": "nl",
        "nederlands": "nl", "swedish": "sv", "svenska": "sv", "danish": "da", "norwegian": "no", "finnish": "fi",
        "polish": "pl", "czech": "cs", "hungarian": "hu", "russian": "ru", "ukrainian": "uk", "greek": "el",
        "turkish": "tr", "arabic": "ar", "hebrew": "he", "hindi": "hi", "chinese": "zh", "japanese": "ja",
        "korean": "ko", "latin": "la", "englisch": "en", "französisch": "fr", "spanisch": "es", "anglais": "en",
        "allemand": "de", "inglés": "en", "alemán": "de", "francés": "fr",
    ]
}
