#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Lengths to cut a file to: around the ends of heads, pages and fields, and a sample between them. `BOOKDB_CUTS=all` takes
/// every length, as `./dev soak` does.
public enum CutLengths {
    private static let limit = 5000

    private static var areAllTaken: Bool { getenv("BOOKDB_CUTS").map { String(cString: $0) } == "all" }

    /// `nil` stands for a file that is missing.
    public static func of(fileWith byteCount: Int) -> [Int?] {
        let end = min(byteCount, limit + 1)
        guard !areAllTaken else { return [nil] + (0..<end).map { $0 } }
        var lengths = Set([0, 1, 7, 8, 11, 12, 16, 31, 32, 40, 59, 60, 63, 64, 65, 72, 119, 120, 121, 128, 176, 4999])
        for place in [4096, byteCount, byteCount - 64, byteCount - 4096] {
            lengths.formUnion([place - 1, place, place + 1])
        }
        lengths.formUnion(stride(from: 3, to: limit, by: 389))
        return [nil] + lengths.filter { (0..<end).contains($0) }.sorted()
    }
}
