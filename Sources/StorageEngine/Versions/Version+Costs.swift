extension Version {
    /// Pages of the snapshot that anybody has read so far: each is checked once and counted here. For tests of costs.
    package var touchedPageCount: Int { generation.file.touchedPageCount }

    /// Of the snapshot file that the version is built on: a compaction makes the next one.
    package var snapshotGeneration: UInt64 { generation.number }

    /// What the commits on this snapshot have allocated so far. To be asked while nothing is written.
    package var allocations: NodeAllocations { generation.heap.allocations }
}

extension Version {
    /// The same of several versions, those of one snapshot once.
    package static func touchedPageCount(of versions: [Version]) -> Int {
        var generations: [ObjectIdentifier: Int] = [:]
        for version in versions { generations[ObjectIdentifier(version.generation)] = version.touchedPageCount }
        return generations.values.reduce(0, +)
    }
}
