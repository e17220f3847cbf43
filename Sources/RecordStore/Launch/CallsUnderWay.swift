import StorageEngine

/// The numbers of calls that have begun and not ended. Ascending numbers come; any goes. O(log n) for n calls, however many are under way.
struct CallsUnderWay {
    /// Ascending, with those that ended between others that have not.
    private var numbers: ArraySlice<UInt64> = []
    private var ended: Set<UInt64> = []

    var count: Int { numbers.count - ended.count }

    /// One that has not ended, as the last is.
    var first: UInt64? { numbers.first }
    var last: UInt64? { numbers.last }

    /// - Parameter number: greater than any before.
    mutating func append(_ number: UInt64) { numbers.append(number) }

    /// One that is not there is passed over.
    mutating func remove(_ number: UInt64) {
        guard contains(number) else { return }
        ended.insert(number)
        while let first = numbers.first, ended.remove(first) != nil { numbers.removeFirst() }
        while let last = numbers.last, ended.remove(last) != nil { numbers.removeLast() }
        guard ended.count > numbers.count / 2 + 16 else { return }
        numbers.removeAll(where: ended.contains)
        ended.removeAll(keepingCapacity: true)
    }

    private func contains(_ number: UInt64) -> Bool {
        let place = numbers.indices.partitionPoint { numbers[$0] < number }
        return place < numbers.endIndex && numbers[place] == number && !ended.contains(number)
    }
}
