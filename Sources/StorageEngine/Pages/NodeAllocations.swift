/// Memory nodes and large values, and their bytes.
package struct NodeAllocations: Equatable, Sendable {
    package internal(set) var count = 0
    package internal(set) var byteCount = 0

    package init(count: Int = 0, byteCount: Int = 0) {
        self.count = count
        self.byteCount = byteCount
    }

    mutating func add(_ byteCount: Int) { (count, self.byteCount) = (count + 1, self.byteCount + byteCount) }
    mutating func remove(_ byteCount: Int) { (count, self.byteCount) = (count - 1, self.byteCount - byteCount) }
}
