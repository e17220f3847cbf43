extension Range<Int> {
    /// The first number of which something no longer holds; the end when it holds of all. Precondition: those of which it holds come first.
    @inline(__always)
    package func partitionPoint(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) >> 1
            if holds(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
