import StorageEngine
import TestSupport

/// Makes every crash that a recorded history could have had, and hands each to a check.
///
/// At every operation boundary the unflushed operations survive in any combination: all subsets of up to
/// `exhaustiveCount`, a seeded sample above; and the newest surviving write may be torn at 1, 8, 512 and 4,096 bytes, keeping
/// its beginning, its end or its middle. Creations, renames and removals are lost unless the directory was flushed.
public struct CrashExplorer {
    public struct Counts: Sendable {
        public var boundaries = 0
        public var states = 0
        public var distinctStates = 0

        public init() {}
    }

    /// Up to so many unflushed operations all subsets are tried.
    public var exhaustiveCount = 6
    /// Subsets tried where there are more.
    public var sampleCount = 48
    public private(set) var counts = Counts()
    private var seen: Set<Int> = []
    private var random: SeededGenerator

    public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// - Parameter check: gets the files of a crash and how many operations had been asked for when it came.
    public mutating func explore(
        _ disk: RecordingDisk, startingWith files: [String: [UInt8]] = [:],
        _ check: (_ files: [String: [UInt8]], _ operationCount: Int) async throws -> Void
    ) async throws {
        var state = CrashState(files: files)
        let operations = disk.operations
        for boundary in 0...operations.count {
            if boundary > 0 { state.apply(operations[boundary - 1]) }
            counts.boundaries += 1
            for image in images(of: state) {
                counts.states += 1
                var hasher = Hasher()
                for (name, bytes) in image.sorted(by: { $0.key < $1.key }) {
                    hasher.combine(name)
                    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
                }
                // A state that was checked under a smaller promise must be checked again under a greater one.
                hasher.combine(boundary)
                guard seen.insert(hasher.finalize()).inserted else { continue }
                counts.distinctStates += 1
                try await check(image, boundary)
            }
        }
    }

    private mutating func images(of state: CrashState) -> [[String: [UInt8]]] {
        let count = state.pending.count
        var subsets: [[Bool]] = []
        if count <= exhaustiveCount {
            for mask in 0..<(1 << count) { subsets.append((0..<count).map { mask >> $0 & 1 == 1 }) }
        } else {
            subsets.append(Array(repeating: true, count: count))
            subsets.append(Array(repeating: false, count: count))
            for _ in 0..<sampleCount {
                switch random.next() % 3 {
                case 0:
                    let length = Int(random.next() % UInt64(count))
                    subsets.append((0..<count).map { $0 < length })
                case 1:
                    let lost = Int(random.next() % UInt64(count))
                    subsets.append((0..<count).map { $0 != lost })
                default: subsets.append((0..<count).map { _ in random.next() & 1 == 1 })
                }
            }
        }
        var images: [[String: [UInt8]]] = []
        for subset in subsets {
            images.append(state.image(survivors: subset))
            let lastWrite = subset.indices.last { subset[$0] && state.pending[$0].writtenByteCount != nil }
            guard let lastWrite, let byteCount = state.pending[lastWrite].writtenByteCount else { continue }
            for kept in tears(of: byteCount) {
                images.append(state.image(survivors: subset, torn: (lastWrite, kept)))
            }
        }
        return images
    }

    /// Parts of a write that may be all that survived of it.
    private mutating func tears(of byteCount: Int) -> [Range<Int>] {
        var tears: [Range<Int>] = []
        for unit in [1, 8, 512, 4096] where byteCount > unit {
            let units = byteCount / unit
            let cut = Int(random.next() % UInt64(units)) * unit + unit
            tears.append(0..<min(cut, byteCount - 1))
            tears.append(min(cut, byteCount - 1)..<byteCount)
            let start = Int(random.next() % UInt64(units)) * unit
            tears.append(start..<min(byteCount, start + unit))
        }
        return tears
    }
}
