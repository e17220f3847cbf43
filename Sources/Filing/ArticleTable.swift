/// The articles that titles may begin with, by language.
///
/// A line has a language's codes (ISO 639-1, 639-2, 639-3) and its English name, and behind the bar its articles, `.` for
/// a language that groups digits by periods, and nothing for a language without articles before the word: a title in
/// such a language must not lose an "A" or a "The". A language that is not here counts as unknown, and so as English.
///
/// An apostrophe at the end is one that joins the article to the word, `l'`; at the beginning it is the mark of what was
/// left out, `'t`. A hyphen at the end joins too, `il-`. The Arabic article has no mark: it is the first two letters.
enum ArticleTable {
    static let languages = """
        en eng english enm sco scots | a an the
        jam | di wan
        af afr afrikaans | die 'n . een
        ar ara arabic arb aeb arz acm apc ary | ال
        ast asturian asturleonese | el la los les lo un una unos unes l' .
        br bre breton | ar an al ur un ul .
        ca cat catalan valencian | el la els les l' un una uns unes en na .
        co cos corsican | u a i e l' un una .
        cy cym wel welsh | y yr
        da dan danish | en et den det de .
        de deu ger german gsw bar | der die das den dem des ein eine einen einem einer eines .
        el ell gre greek grc | ο η το οι τα αι τω ενας μια μια ενα .
        eo epo esperanto | la l'
        es spa spanish castilian | el la lo los las un una unos unas .
        fo fao faroese | hin hitt hinir hinar ein eitt .
        fr fra fre french frm fro | le la les l' un une des d'
        fur friulian | il la i lis l' un une .
        fy fry frisian | de it 't in .
        ga gle irish | an na
        gd gla gaelic scottish | an am a' na nam nan
        gl glg galician | o a os as un unha uns unhas .
        gv glv manx | yn y ny
        haw hawaiian | ka ke na he
        hu hun hungarian | a az egy
        ia ina interlingua | le un
        is isl ice icelandic | hinn hin hið hinir hinar .
        it ita italian | il lo la l' i gli gl' le un uno una un' .
        kw cor cornish | an
        lb ltz luxembourgish | de den dat d' en eng e .
        mg mlg malagasy | ny
        mi mri mao maori | te nga he
        mt mlt maltese | il- l- id- in- ir- is- it- iż- ix- iz- iċ-
        nds saxon | de dat den een en .
        nl nld dut dutch flemish vls | de het een eene 't 'n .
        no nor norwegian nb nob bokmål bokmal nn nno nynorsk | en ei et ein eit den det de dei .
        oc oci occitan pro provençal provencal | lo la los las lou li lei lis l' un una uno .
        pt por portuguese | o a os as um uma uns umas .
        rm roh romansh | il la ils las l' in ina .
        ro ron rum romanian moldavian | un o niște nişte .
        sc srd sardinian | su sa sos sas is s' unu una .
        scn sicilian | lu la li l' un na .
        sm smo samoan | le se o
        sq sqi alb albanian | një .
        sv swe swedish | en ett den det de .
        tr tur turkish | bir .
        vec venetian | el ła la i łe le l' un na .
        wa wln walloon | li les on ene l' .
        yi yid yiddish | דער די דאָס דעם אַ אַן
        ru rus russian |
        uk ukr ukrainian |
        be bel belarusian |
        bg bul bulgarian |
        mk mkd mac macedonian |
        sr srp serbian | .
        hr hrv croatian | .
        bs bos bosnian | .
        sl slv slovenian slovene | .
        sk slk slo slovak |
        cs ces cze czech |
        pl pol polish |
        hsb dsb wen sorbian cu chu rue rusyn |
        lt lit lithuanian lv lav latvian et est estonian |
        fi fin finnish se sme sami krl karelian |
        la lat latin sa san sanskrit pi pli pali |
        ja jpn japanese zh zho chi chinese cmn yue cantonese lzh nan wuu ko kor korean |
        vi vie vietnamese th tha thai lo lao km khm khmer my mya bur burmese mnw rki bo bod tib tibetan adx khg dz dzo |
        id ind indonesian ms msa may malay zlm tl tgl tagalog fil filipino ceb cebuano ilo iloko jv jav su sun tet tetum | .
        hi hin hindi bn ben bengali pa pan panjabi punjabi gu guj gujarati mr mar marathi or ori ory odia as asm assamese |
        ne nep npi nepali si sin sinhala ta tam tamil te tel telugu kn kan kannada ml mal malayalam ur urd urdu sd snd |
        fa fas per persian pes prs dari tg tgk tajik ps pus pashto ku kur kurdish ckb kmr sorani |
        az aze azerbaijani kk kaz kazakh ky kir uz uzb uzbek tk tuk tt tat tatar ug uig ba bak cv chv mn mon mongolian |
        ka kat geo georgian hy hye arm armenian ab abk os oss ossetic ce che |
        he heb hebrew iw am amh amharic ti tir om orm so som ha hau sw swa swahili zu zul xh xho yo yor ig ibo rw kin |
        eu eus baque basque ht hat haitian mfe kl kal nv nav navajo qu que quechua gn grn nah ain ale |
        """

    /// Titles whose first word is part of a name, letter by letter as they are printed: "Los Angeles" is the city, and
    /// "Los ángeles" are the angels.
    static let names = """
        Los Angeles|Los Ángeles|Los Alamos|Los Álamos|Las Vegas|Las Palmas|Las Cruces|El Paso|El Salvador|El Cairo|El Greco
        El Dorado|El Escorial|El Alamein|El Aaiún|La Paz|La Plata|La Habana|La Coruña|La Mancha|La Rioja|La Haya|La Salle
        La Rochelle|La Réunion|La Fontaine|La Bruyère|La Rochefoucauld|La Fayette|La Haye|La Mecque|La Spezia|La Scala
        La Boétie|Le Mans|Le Havre|Le Caire|Le Corbusier|Le Nôtre|Le Carré|Le Guin|Le Pen|Le Bret|Les Baux|Les Sables
        Lo Bianco|Des Moines|De Gaulle|De Quincey|De Sica|De Niro|L'Aquila|L'Hospitalet|L'Oréal|A Coruña|O Porto
        A Is for|A is for|A to Z|A &|A B C
        """
}
