import TestSupport

/// The medium as operations reach it: what is certainly there, and what may or may not be.
package struct CrashState: Sendable {
    /// What flushes have made certain, by file number.
    private(set) var contents: [Int: [UInt8]] = [:]
    private var names: [String: Int] = [:]
    private var hasDirectory = false
    /// Operations since, in order.
    package private(set) var pending: [DiskOperation] = []
    /// Bytes of log segments whose blocks a growing file may be given again.
    private(set) var graveyard: [[UInt8]] = []

    /// What new space of a file reads as when its size reached the medium and its bytes did not.
    package enum Filler {
        case zeros
        case noise(UInt64)
        /// Bytes of a log segment that was removed.
        case stale
    }

    /// How the last surviving write was cut short.
    package enum Tear {
        case kept(Range<Int>)
        /// The size grew; the bytes were lost.
        case sizeOnly
    }

    package init(image: DiskImage) {
        hasDirectory = image.files != nil
        for (name, bytes) in (image.files ?? [:]).sorted(by: { $0.key < $1.key }) {
            let file = contents.count
            names[name] = file
            contents[file] = bytes
        }
    }

    /// - Parameter random: decides what a failed flush has brought to the medium all the same.
    package mutating func apply(_ operation: DiskOperation, using random: inout SeededGenerator) {
        switch operation {
        case .flush(let file):
            settle { $0.file == file }
        case .failedFlush(let file):
            let share = random.next() % 3
            settle { operation in
                guard operation.file == file else { return false }
                return share == 0 || (share == 1 && random.next() & 1 == 0)
            }
            pending.removeAll { $0.file == file }
        case .flushDirectory:
            settle(\.isOfDirectory)
        case .failedDirectoryFlush:
            let share = random.next() % 3
            settle { $0.givesName && (share == 0 || (share == 1 && random.next() & 1 == 0)) }
            pending.removeAll(where: \.givesName)
        case .flushParent:
            settle(\.isOfParent)
        default:
            pending.append(operation)
        }
    }

    private mutating func settle(_ isCertain: (DiskOperation) -> Bool) {
        var rest: [DiskOperation] = []
        for operation in pending {
            if isCertain(operation) { commit(operation, .zeros) } else { rest.append(operation) }
        }
        pending = rest
    }

    private mutating func commit(_ operation: DiskOperation, _ filler: Filler) {
        switch operation {
        case .write(let file, let byteOffset, let bytes):
            grow(file, to: byteOffset, filler)
            contents[file, default: []].write(bytes, at: byteOffset)
        case .resize(let file, let byteCount):
            grow(file, to: byteCount, filler)
            contents[file, default: []].resize(to: byteCount)
        case .create(let name, let file): names[name] = file
        case .rename(let name, let file, let to):
            names.removeValue(forKey: name)
            names[to] = file
        case .remove(let name):
            if let file = names.removeValue(forKey: name), name.hasPrefix("log-"), let bytes = contents[file] {
                graveyard.append(bytes)
            }
        case .createDirectory: hasDirectory = true
        case .flush, .failedFlush, .flushDirectory, .failedDirectoryFlush, .flushParent: break
        }
    }

    private mutating func grow(_ file: Int, to byteCount: Int, _ filler: Filler) {
        let count = contents[file]?.count ?? 0
        guard byteCount > count else { return }
        let added = byteCount - count
        let bytes: [UInt8]
        switch filler {
        case .zeros: bytes = Array(repeating: 0, count: added)
        case .noise(let seed):
            var random = SeededGenerator(seed: seed)
            bytes = (0..<added).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        case .stale:
            // Blocks keep their place within a block, so frames stay where frames may lie.
            let old = graveyard.last?.dropFirst(count % 4096 < 64 ? 64 : count % 4096) ?? []
            bytes = Array(old.prefix(added)) + Array(repeating: 0, count: max(0, added - old.count))
        }
        contents[file, default: []] += bytes
    }

    /// What a crash leaves when the pending operations in `survivors` reached the medium and no others did.
    package func image(
        survivors: [Bool], tear: (index: Int, tear: Tear)? = nil, filler: Filler = .zeros
    ) -> DiskImage {
        var result = self
        for (index, operation) in pending.enumerated() where survivors[index] {
            if let tear, tear.index == index, case .write(let file, let byteOffset, let bytes) = operation {
                switch tear.tear {
                case .kept(let range):
                    let kept = range.clamped(to: 0..<bytes.count)
                    result.commit(
                        .write(file: file, byteOffset: byteOffset + kept.lowerBound, bytes: Array(bytes[kept])), filler)
                case .sizeOnly: result.grow(file, to: byteOffset + bytes.count, filler)
                }
            } else {
                result.commit(operation, filler)
            }
        }
        guard result.hasDirectory else { return DiskImage(files: nil) }
        return DiskImage(files: result.names.mapValues { result.contents[$0] ?? [] })
    }

    /// What a process that is started again sees while the machine runs on: everything, flushed or not.
    ///
    /// - Parameter operations: all that led here, from the beginning: a failed flush takes nothing from what is seen.
    static func view(of operations: some Sequence<DiskOperation>, from start: CrashState) -> CrashState {
        var result = start
        let pending = result.pending
        result.pending = []
        for operation in pending { result.commit(operation, .zeros) }
        for operation in operations { result.commit(operation, .zeros) }
        return result
    }

    /// The files as they are named, by number.
    var nameTable: [String: Int] { names }
    var directoryExists: Bool { hasDirectory }
}
