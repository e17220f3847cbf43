/// How often everything is measured.
struct Rounds {
    let works: Int

    private var isLarge: Bool { works > 300_000 }

    var imports: Int { isLarge ? 1 : 3 }
    var opens: Int { isLarge ? 11 : 21 }
    var reads: Int { isLarge ? 3 : 5 }
    var writes: Int { isLarge ? 3 : 5 }
    var uncached: Int { 5 }
    var sessions: Int { isLarge ? 1 : 3 }
    var busy: Int { isLarge ? 1 : 3 }
    var compactions: Int { isLarge ? 1 : 3 }
    var recoveries: Int { isLarge ? 3 : 5 }
}
