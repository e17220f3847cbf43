/// Where a match stands among others.
struct SearchBandPlace {
    let band: SearchBand
    /// The least first, and of the same what came first. 0 for what is no guess.
    let distance: Int
    /// A bit for each word typed that the row does not have.
    let missing: UInt64
    /// As many words as it has, when it does not have all.
    let wordCount: Int

    init(_ band: SearchBand, distance: Int = 0, missing: UInt64 = 0, wordCount: Int = 0) {
        self.band = band
        self.distance = distance
        self.missing = missing
        self.wordCount = wordCount
    }
}

/// The rows that a search has found so far, of each band the best.
struct SearchBands<Row> {
    private struct Band {
        var matches: [(row: Row, place: SearchBandPlace)] = []
        var count = 0
    }

    private let limit: Int
    private var bands: [SearchBand: Band] = [:]
    /// As many of the words typed as a row has that does not have all.
    private var mostWordCount = 0

    init(_ limit: Int) { self.limit = min(limit, 1 << 40) }

    /// How many rows match.
    var count: Int { shown.reduce(0) { $0 + (bands[$1]?.count ?? 0) } }

    var hasTitles: Bool { bands[.exactTitle] != nil || bands[.titleBeginning] != nil }

    /// The bands that count: two typos in a word when there is nothing better, missing words when there is nothing at all.
    private var shown: [SearchBand] {
        let better = SearchBand.allCases.filter { $0 < .twoTypos && bands[$0] != nil }
        guard better.isEmpty else { return better }
        return bands[.twoTypos] == nil ? [.someWords] : [.twoTypos]
    }

    mutating func add(_ row: @autoclosure () -> Row, _ place: SearchBandPlace) {
        if place.band == .someWords {
            guard place.wordCount >= mostWordCount else { return }
            if place.wordCount > mostWordCount { bands[.someWords] = nil }
            mostWordCount = place.wordCount
        }
        var band = bands.removeValue(forKey: place.band) ?? Band()
        band.count += 1
        if place.band.isGuess || band.matches.count < limit { band.matches.append((row(), place)) }
        // Now and then, so that memory does not grow with what is found.
        if band.matches.count >= 2 * limit + 64 { band.matches = Array(Self.nearest(band.matches).prefix(limit)) }
        bands[place.band] = band
    }

    /// The best, up to the limit.
    func first() -> [(row: Row, place: SearchBandPlace)] {
        Array(shown.flatMap { Self.nearest(bands[$0]?.matches ?? []) }.prefix(limit))
    }

    /// The sort keeps the order of what is as near.
    private static func nearest(
        _ matches: [(row: Row, place: SearchBandPlace)]
    ) -> [(row: Row, place: SearchBandPlace)] {
        matches.sorted { $0.place.distance < $1.place.distance }
    }
}
