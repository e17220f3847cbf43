/// What the processes of a run measured so far, by store.
struct Results {
    private(set) var samples: [Workload: [String: [Int]]] = [:]
    private(set) var digests: [Workload: UInt64] = [:]
    var loggedChangeCount = 0

    /// - Throws: when a store answers otherwise than the first that was asked.
    mutating func add(_ store: String, _ measurements: [Measurement]) throws {
        for measurement in measurements {
            let workload = measurement.workload
            if let digest = measurement.digest {
                let expected = digests[workload] ?? digest
                guard digest == expected else {
                    throw Failure(
                        """
                        \(store) answers “\(workload.title)” otherwise than \(Peers.all[0].name): the digests of the rows are \
                        \(digest) and \(expected). → nothing was compared; look at the rows of both
                        """)
                }
                digests[workload] = expected
            }
            samples[workload, default: [:]][store, default: []] += measurement.samples
        }
    }
}
