/// The keys of a work, to be looked up: one by one where they are few.
struct WorkKeyLookup {
    private let keys: WorkKeys?
    private var places: [Name: WorkKeys.Key] = [:]

    private struct Name: Hashable {
        let index: WorkIndex
        let bytes: [UInt8]
    }

    private static let fewCount = 48

    init(_ keys: WorkKeys?) {
        self.keys = keys
        guard let keys, keys.all.count > Self.fewCount else { return }
        for key in keys.all { places[Name(index: key.index, bytes: keys.bytes(of: key))] = key }
    }

    /// That of the same tree and bytes.
    func key(like key: WorkKeys.Key, of others: WorkKeys) -> WorkKeys.Key? {
        guard let keys else { return nil }
        guard keys.all.count > Self.fewCount else { return keys.all.first { keys.isSame($0, as: key, of: others) } }
        return places[Name(index: key.index, bytes: others.bytes(of: key))]
    }
}
