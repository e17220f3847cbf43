extension Dialect {
    /// The library export of StoryGraph. Older files lack the last columns; ratings have quarter stars.
    static let storyGraph = Dialect(
        .storyGraph, name: "StoryGraph CSV",
        signature: ["Title", "Authors", "ISBN/UID", "Read Status", "Star Rating"],
        columns: [
            "Title": .title,
            "Authors": .authors,
            "ISBN/UID": .isbn,
            "Format": .format,
            "Read Status": .status,
            "Date Added": .dateAdded,
            "Last Date Read": .dateRead,
            "Read Count": .readCount,
            "Star Rating": .rating,
            "Review": .review,
            "Tags": .tags,
            "Owned?": .owned,
        ],
        source: nil,
        habits: [.seriesInTitle, .listedAuthors, .wholeRows])
}
