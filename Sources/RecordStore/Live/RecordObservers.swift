/// The observers of single records, by kind and identifier.
///
/// Each is held weakly and removed soon after it has gone, so a commit looks at those of the records that it changed and at no others.
struct RecordObservers {
    private struct Observer {
        weak var follower: (any LiveFollower)?
    }

    private var kinds: [String: [ID<AppRecord>: [Observer]]] = [:]

    /// How many identifiers commits have looked up so far.
    private(set) var lookUpCount = 0

    var isEmpty: Bool { kinds.isEmpty }

    var all: [any LiveFollower] { kinds.values.flatMap(\.values).joined().compactMap(\.follower) }

    mutating func add(_ follower: some LiveFollower, of kind: String, _ id: ID<AppRecord>) {
        kinds[kind, default: [:]][id, default: []].append(Observer(follower: follower))
    }

    /// Forgets those of a record that are no longer there.
    mutating func removeGone(of kind: String, _ id: ID<AppRecord>) {
        kinds[kind]?[id]?.removeAll { $0.follower == nil }
        guard kinds[kind]?[id]?.isEmpty == true else { return }
        kinds[kind]?[id] = nil
        if kinds[kind]?.isEmpty == true { kinds[kind] = nil }
    }

    /// Those of the changed records. O(changes), or O(observers) when these are fewer.
    mutating func followers(of changes: [String: Changes<AppRecord>]) -> [any LiveFollower] {
        var followers: [any LiveFollower] = []
        for (kind, changes) in changes {
            guard let observed = kinds[kind] else { continue }
            if changes.insertedCount > observed.count {
                lookUpCount += observed.count
                followers += observed.filter { changes.hasInserted($0.key) }.values.joined().compactMap(\.follower)
            }
            let few = changes.insertedCount > observed.count ? [] : changes.inserted
            for changed in [few, changes.updated, changes.deleted] {
                lookUpCount += min(changed.count, observed.count)
                let found =
                    changed.count <= observed.count
                    ? changed.compactMap { observed[$0] } : observed.filter { changed.contains($0.key) }.map(\.value)
                followers += found.joined().compactMap(\.follower)
            }
        }
        return followers
    }
}
