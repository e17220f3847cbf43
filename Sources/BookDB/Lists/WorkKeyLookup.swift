/// The keys of a work, to be looked up: one by one where they are few.
struct WorkKeyLookup {
    private let keys: [WorkKeys.Key]
    private var places: [Name: Int] = [:]

    private struct Name: Hashable {
        let index: WorkIndex
        let bytes: [UInt8]
    }

    private static let fewCount = 48

    init(_ keys: [WorkKeys.Key]) {
        self.keys = keys
        guard keys.count > Self.fewCount else { return }
        for (place, key) in keys.enumerated() { places[Name(index: key.index, bytes: key.bytes)] = place }
    }

    /// That of the same tree and key.
    func key(like key: WorkKeys.Key) -> WorkKeys.Key? {
        guard keys.count > Self.fewCount else {
            return keys.first { $0.index == key.index && $0.bytes == key.bytes }
        }
        return places[Name(index: key.index, bytes: key.bytes)].map { keys[$0] }
    }
}
