/// Languages of two letters, and what else stands for them.
enum LanguageTable {
    /// By their codes of three letters and by their names, in lower case.
    static let codes: [String: LanguageCode] = {
        var codes: [String: LanguageCode] = [:]
        for language in languages.split(whereSeparator: { $0 == "|" || $0 == "\n" }) {
            let words = language.split(separator: " ")
            guard let code = LanguageCode(letters: words[0].utf8) else { continue }
            for word in words.dropFirst() { codes[String(word.map { $0 == "·" ? " " : $0 })] = code }
        }
        return codes
    }()

    /// Of each language of ISO 639-1 its code, those of ISO 639-2, terminological and bibliographic, and its names: in English, in itself
    /// where libraries hold much of it, and in its neighbours' languages where catalogues are. A point stands for a blank within a name.
    private static let languages = """
            aa aar afar|ab abk abkhazian|ae ave avestan|af afr afrikaans|ak aka akan|am amh amharic|an arg aragonese
            ar ara arabic العربية|as asm assamese|av ava avaric|ay aym aymara|az aze azerbaijani|ba bak bashkir
            be bel belarusian|bg bul bulgarian български|bh bih bihari|bi bis bislama|bm bam bambara|bn ben bengali
            bo bod tib tibetan|br bre breton|bs bos bosnian|ca cat catalan valencian català|ce che chechen|ch cha chamorro
            co cos corsican|cr cre cree|cs ces cze czech čeština česky
            cu chu church·slavic old·slavonic church·slavonic|cv chv chuvash
            cy cym wel welsh cymraeg|da dan danish dansk|de deu ger german deutsch allemand alemán tedesco
            dv div divehi dhivehi maldivian|dz dzo dzongkha|ee ewe|el ell gre greek modern·greek ελληνικά
            en eng english englisch anglais inglés inglese|eo epo esperanto
            es spa spanish castilian español castellano spanisch espagnol|et est estonian eesti|eu eus baq basque euskara
            fa fas per persian farsi فارسی|ff ful fulah|fi fin finnish suomi|fj fij fijian|fo fao faroese
            fr fra fre french français französisch francés francese|fy fry frisian western·frisian|ga gle irish gaeilge
            gd gla gaelic scottish·gaelic|gl glg galician galego|gn grn guarani|gu guj gujarati|gv glv manx|ha hau hausa
            he heb hebrew עברית|hi hin hindi हिन्दी|ho hmo hiri·motu|hr hrv croatian hrvatski|ht hat haitian haitian·creole
            hu hun hungarian magyar|hy hye arm armenian|hz her herero|ia ina interlingua|id ind indonesian bahasa·indonesia
            ie ile interlingue occidental|ig ibo igbo|ii iii sichuan·yi nuosu|ik ipk inupiaq|io ido
            is isl ice icelandic íslenska|it ita italian italiano italienisch italien|iu iku inuktitut|ja jpn japanese 日本語
            jv jav javanese|ka kat geo georgian|kg kon kongo|ki kik kikuyu gikuyu|kj kua kuanyama kwanyama|kk kaz kazakh
            kl kal kalaallisut greenlandic|km khm khmer|kn kan kannada|ko kor korean 한국어|kr kau kanuri|ks kas kashmiri
            ku kur kurdish|kv kom komi|kw cor cornish|ky kir kirghiz kyrgyz|la lat latin latina
            lb ltz luxembourgish letzeburgesch|lg lug ganda|li lim limburgan limburger limburgish|ln lin lingala|lo lao
            lt lit lithuanian lietuvių|lu lub luba|lv lav latvian latviešu|mg mlg malagasy|mh mah marshallese
            mi mri mao maori|mk mkd mac macedonian|ml mal malayalam|mn mon mongolian|mr mar marathi|ms msa may malay
            mt mlt maltese|my mya bur burmese|na nau nauru|nb nob bokmål norwegian·bokmål|nd nde ndebele|ne nep nepali
            ng ndo ndonga|nl nld dut dutch flemish nederlands niederländisch vlaams|nn nno nynorsk norwegian·nynorsk
            no nor norwegian norsk|nr nbl|nv nav navajo navaho|ny nya chichewa chewa nyanja|oc oci occitan provençal
            oj oji ojibwa|om orm oromo|or ori oriya odia|os oss ossetian ossetic|pa pan panjabi punjabi|pi pli pali
            pl pol polish polski|ps pus pushto pashto|pt por portuguese português|qu que quechua|rm roh romansh|rn run rundi
            ro ron rum romanian moldavian moldovan română|ru rus russian русский russisch russe ruso|rw kin kinyarwanda
            sa san sanskrit|sc srd sardinian|sd snd sindhi|se sme northern·sami|sg sag sango|si sin sinhala sinhalese
            sk slk slo slovak slovenčina|sl slv slovenian slovene slovenščina|sm smo samoan|sn sna shona|so som somali
            sq sqi alb albanian|sr srp serbian srpski српски|ss ssw swati|st sot sesotho|su sun sundanese|sv swe swedish svenska
            sw swa swahili|ta tam tamil|te tel telugu|tg tgk tajik|th tha thai|ti tir tigrinya|tk tuk turkmen
            tl tgl tagalog filipino|tn tsn tswana|to ton tonga|tr tur turkish türkçe|ts tso tsonga|tt tat tatar|tw twi
            ty tah tahitian|ug uig uighur uyghur|uk ukr ukrainian українська|ur urd urdu|uz uzb uzbek|ve ven venda
            vi vie vietnamese tiếng·việt|vo vol volapük|wa wln walloon|wo wol wolof|xh xho xhosa|yi yid yiddish|yo yor yoruba
            za zha zhuang chuang|zh zho chi chinese 中文 mandarin|zu zul zulu
        """
}
