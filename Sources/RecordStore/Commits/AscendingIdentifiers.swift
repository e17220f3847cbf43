import StorageEngine

/// Many identifiers in ascending order, in a byte or two each: those of the records that a load adds.
struct AscendingIdentifiers: Sendable {
    private(set) var count = 0
    private(set) var last: UInt64 = 0
    /// The distance of each from the one before, in LEB128: seven bits a byte, the lowest first.
    private var bytes: [UInt8] = []
    /// Some of the identifiers, so that one is found without reading all before it.
    private var fences: [Fence] = []

    private struct Fence {
        let identifier: UInt64
        /// Behind it.
        let offset: Int
    }

    private static let fenceDistance = 128

    var isEmpty: Bool { count == 0 }

    /// Whether an identifier can be appended.
    func isBehindAll(_ identifier: UInt64) -> Bool { isEmpty || identifier > last }

    /// Precondition: it is behind all.
    mutating func append(_ identifier: UInt64) {
        precondition(isBehindAll(identifier), "identifiers ascend")
        var distance = identifier - last
        while distance >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: distance) | 0x80)
            distance >>= 7
        }
        bytes.append(UInt8(distance))
        if count.isMultiple(of: Self.fenceDistance) {
            fences.append(Fence(identifier: identifier, offset: bytes.count))
        }
        count += 1
        last = identifier
    }

    /// O(log n).
    func contains(_ identifier: UInt64) -> Bool {
        guard let fence = fence(before: identifier) else { return false }
        var (next, offset) = (fence.identifier, fence.offset)
        while next < identifier, offset < bytes.count { next += distance(at: &offset) }
        return next == identifier
    }

    /// The last that is not greater.
    private func fence(before identifier: UInt64) -> Fence? {
        let index = fences.indices.partitionPoint { fences[$0].identifier <= identifier }
        return index > 0 ? fences[index - 1] : nil
    }

    func forEach(_ body: (UInt64) -> Void) {
        var (next, offset): (UInt64, Int) = (0, 0)
        while offset < bytes.count {
            next += distance(at: &offset)
            body(next)
        }
    }

    private func distance(at offset: inout Int) -> UInt64 {
        var (distance, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = bytes[offset]
            offset += 1
            distance |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else { return distance }
            shift += 7
        }
    }
}
