import StorageEngine
import TestSupport

/// Makes the crashes that a recorded history could have had, and hands each to a check.
///
/// At every operation boundary the unflushed operations survive in any combination: all subsets of up to
/// `exhaustiveCount`, a seeded sample above. The newest surviving write may be torn at 1, 8, 512 and 4,096 bytes, keeping its
/// beginning, its end or its middle, or may have grown the file and left zeros, noise or a removed segment's bytes there.
/// Creations, renames and removals are lost unless the directory was flushed, and the directory unless its parent was.
public struct CrashExplorer {
    /// A crash behind so many operations of the history.
    public struct Crash {
        public let operationCount: Int
        /// The process alone was killed: what it had not flushed can still be lost.
        public let isKill: Bool
        /// What is left, on a disk that is ready to be opened.
        public let disk: RecordingDisk
    }

    /// Up to so many unflushed operations all subsets are tried.
    public var exhaustiveCount = 6
    /// Subsets tried where there are more.
    public var sampleCount = 48
    /// Of so many boundaries one is explored.
    public var stride = 1
    /// Of so many boundaries one is also a place where only the process is killed; 0 for none.
    public var killStride = 0
    public internal(set) var coverage = CrashCoverage()
    private var random: SeededGenerator

    public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    public mutating func explore(
        _ disk: RecordingDisk, _ check: (Crash) async throws -> Void
    ) async throws {
        var state = disk.start
        let operations = disk.operations
        // States are told apart within a boundary: under a greater promise one must be checked again.
        var seen: Set<DiskImage> = []
        let offset = stride > 1 ? Int(random.next() % UInt64(stride)) : 0
        for boundary in 0...operations.count {
            if boundary > 0 { state.apply(operations[boundary - 1], using: &random) }
            guard boundary % stride == offset else { continue }
            coverage.boundaries += 1
            seen.removeAll(keepingCapacity: true)
            for image in images(of: state) {
                coverage.states += 1
                guard seen.insert(image).inserted else { continue }
                coverage.distinctStates += 1
                try await check(
                    Crash(
                        operationCount: boundary, isKill: false,
                        disk: RecordingDisk(directory: disk.directory, image: image)))
            }
            guard killStride > 0, random.next() % UInt64(killStride) == 0 else { continue }
            coverage.kills += 1
            try await check(
                Crash(
                    operationCount: boundary, isKill: true,
                    disk: disk.afterKill(operationCount: boundary, medium: state)))
        }
    }

    private mutating func images(of state: CrashState) -> [DiskImage] {
        var images: [DiskImage] = []
        for subset in subsets(of: state.pending.count) {
            images.append(state.image(survivors: subset))
            if state.pending.contains(where: { if case .resize = $0 { true } else { false } }) {
                images.append(state.image(survivors: subset, filler: .noise(random.next())))
                if !state.graveyard.isEmpty { images.append(state.image(survivors: subset, filler: .stale)) }
            }
            let lastWrite = subset.indices.last { subset[$0] && state.pending[$0].writtenByteCount != nil }
            guard let lastWrite, let byteCount = state.pending[lastWrite].writtenByteCount else { continue }
            for kept in tears(of: byteCount) {
                images.append(state.image(survivors: subset, tear: (lastWrite, .kept(kept))))
            }
            for filler in [CrashState.Filler.zeros, .noise(random.next()), .stale] {
                images.append(state.image(survivors: subset, tear: (lastWrite, .sizeOnly), filler: filler))
            }
        }
        return images
    }

    private mutating func subsets(of count: Int) -> [[Bool]] {
        if count <= exhaustiveCount {
            return (0..<(1 << count)).map { mask in (0..<count).map { mask >> $0 & 1 == 1 } }
        }
        var subsets = [Array(repeating: true, count: count), Array(repeating: false, count: count)]
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
        return subsets
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
