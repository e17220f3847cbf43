import BookDB

/// Reads a reading status from the name of a shelf.
enum Shelf {
    /// The status a shelf stands for, and whether its name says more than the status does, so that it is kept as a tag.
    ///
    /// A shelf nobody but its owner knows is no status: mistaking it for "want to read" would put books on the
    /// wrong list.
    static func status(_ name: String) -> (status: ReadingStatus, isCustom: Bool) {
        let folded = HeaderName(name).text
        if let status = known[folded] { return (status, false) }
        return (custom[folded] ?? .none, true)
    }

    private static let known: [String: ReadingStatus] = {
        var names: [String: ReadingStatus] = [:]
        for status in ReadingStatus.allCases { names[HeaderName(status.name).text] = status }
        let others: [(ReadingStatus, [String])] = [
            (.wantToRead, ["to-read", "want to read", "tbr", "wishlist", "ungelesen", "möchte ich lesen", "à lire"]),
            (.wantToRead, ["por leer", "pendiente", "quiero leer"]),
            (.reading, ["currently-reading", "in progress", "started", "lese ich", "lese gerade", "en cours"]),
            (.reading, ["leyendo", "begonnen"]),
            (.read, ["finished", "completed", "done", "gelesen", "lu", "leído", "leido"]),
            (.paused, ["on hold", "pausiert", "en pause", "en pausa"]),
            (.abandoned, ["did-not-finish", "dnf", "abgebrochen", "abandonné", "abandonado"]),
        ]
        for (status, words) in others { for word in words { names[HeaderName(word).text] = status } }
        return names
    }()

    /// Shelves readers made for themselves, as often seen; they stay tags, since their owners made them on purpose.
    private static let custom: [String: ReadingStatus] = {
        var names: [String: ReadingStatus] = [:]
        for word in [
            "unfinished", "abandoned", "gave-up", "given up", "couldnt-finish", "not-finished", "didnt-finish",
        ] {
            names[HeaderName(word).text] = .abandoned
        }
        for word in ["paused", "on-pause", "hiatus", "set-aside", "on-the-back-burner", "partially-read"] {
            names[HeaderName(word).text] = .paused
        }
        return names
    }()
}
