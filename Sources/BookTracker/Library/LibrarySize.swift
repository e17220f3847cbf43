/// How much a tracker's library holds, and how much is imported into it.
struct LibrarySize: Sendable, Equatable {
    var works = 200_000
    var purchases = 19_000
    var imports = 1_000
}
