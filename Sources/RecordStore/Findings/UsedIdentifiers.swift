/// Every identifier a repair meets, in records and in what follows from them, so that none is given out again.
package struct UsedIdentifiers {
    private var highest: [UInt32: UInt64] = [:]
    private var counts: [UInt32: Int] = [:]

    package mutating func note<Record>(_ id: ID<Record>) {
        highest[id.device] = max(highest[id.device] ?? 0, id.counter)
        counts[id.device, default: 0] += 1
    }

    func highestCounter(ofDevice device: UInt32) -> UInt64 { highest[device] ?? 0 }

    /// The device that made most of the records; a new one when there are none.
    var likeliestDevice: UInt32 {
        let known = counts.filter { (1..<IDLayout.placeholderDevice).contains($0.key) }
        return known.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? LibraryMeta.randomDevice()
    }
}
