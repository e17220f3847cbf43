/// Words that names of authors are recognised by.
enum AuthorNameTable {
    /// Before a name and no part of it.
    static let titles: Set<String> = [
        "mr", "mr.", "mrs", "mrs.", "ms", "ms.", "dr", "dr.", "prof", "prof.", "professor",
    ]

    /// Behind a name; they go with the family name.
    static let suffixes: Set<String> = [
        "jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "phd", "ph.d.", "ph.d", "md", "m.d.",
    ]

    /// Capitalised, these begin a family name; so do the small ones here, for French and Arabic keep them there.
    static let familyParticles: Set<String> = [
        "Van", "Von", "Der", "Den", "De", "Da", "Di", "Del", "Della", "Dos", "Ter", "Le", "La", "Les", "Du", "Des",
        "St.",
        "San", "Mac", "Ben", "Bin", "Al", "El", "du", "des", "le", "la", "bin", "ibn",
    ]

    /// Family names that no rule finds: of two words, or with a small particle that their bearers file under.
    static let families: Set<String> = [
        "García Márquez", "Garcia Marquez", "García Lorca", "Garcia Lorca", "Vargas Llosa", "Ruiz Zafón", "Ruiz Zafon",
        "Roa Bastos", "Cabrera Infante", "Pardo Bazán", "Pérez Galdós", "Blasco Ibáñez", "Sánchez Ferlosio",
        "Eça de Queirós", "Machado de Assis", "Tomasi di Lampedusa", "Lloyd George", "Vaughan Williams", "Baring Gould",
        "Bulwer Lytton", "St. Aubyn", "Saint Exupéry",
        "de la Mare", "de la Roche", "de Bernières", "de Botton", "de Lint", "de Camp", "de Waal",
        "de Kruif", "de Quincey", "de Bono", "van Vogt", "van der Post", "van Dine", "van Gulik",
        "von Däniken", "la Farge", "la Motte", "el Saadawi", "al Aswany",
    ]

    static let groupWords: Set<String> = [
        "and", "of", "&", "for", "inc", "inc.", "ltd", "ltd.", "society", "company", "press", "team", "institute",
        "university", "association", "magazine", "editors", "staff", "museum", "committee", "corporation", "foundation",
        "library", "gmbh", "co.",
    ]
}
