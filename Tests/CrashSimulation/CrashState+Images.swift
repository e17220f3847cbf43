import TestSupport

extension RecordingDisk {
    /// The medium after so many operations, or all so far.
    ///
    /// - Parameter seed: chooses what a failed flush has brought to it all the same.
    package func medium(after operationCount: Int? = nil, seed: UInt64 = 1) -> CrashState {
        var random = SeededGenerator(seed: seed)
        var state = start
        for operation in operations.prefix(operationCount ?? .max) { state.apply(operation, using: &random) }
        return state
    }

    package var hasFailedFlush: Bool {
        operations.contains { operation in
            switch operation {
            case .failedFlush, .failedDirectoryFlush: true
            default: false
            }
        }
    }
}

extension CrashState {
    /// The same wherever the medium and what may still reach it are the same, whatever numbers the files have.
    package func hash(into hasher: inout Hasher) {
        var numbers: [Int: Int] = [:]
        func combine(_ file: Int) {
            if let number = numbers[file] { return hasher.combine(number) }
            numbers[file] = numbers.count
            hasher.combine(numbers.count)
            hasher.combine(wholeOf: contents[file] ?? [])
        }
        hasher.combine(directoryExists)
        for (name, file) in nameTable.sorted(by: { $0.key < $1.key }) {
            hasher.combine(name)
            combine(file)
        }
        for operation in pending {
            switch operation {
            case .write(let file, let byteOffset, let bytes):
                combine(file)
                hasher.combine(byteOffset)
                hasher.combine(wholeOf: bytes)
            case .resize(let file, let byteCount):
                combine(file)
                hasher.combine(byteCount)
            case .create(let name, let file):
                hasher.combine(name)
                combine(file)
            case .rename(let name, let file, let to):
                hasher.combine(name)
                combine(file)
                hasher.combine(to)
            case .remove(let name): hasher.combine(name)
            case .flush, .failedFlush, .flushDirectory, .failedDirectoryFlush, .createDirectory, .flushParent:
                hasher.combine(0)
            }
        }
    }

    /// A few of the images that a power cut could leave now: all and nothing of what is not flushed, every beginning and every single
    /// loss of it, every combination when it is little, and the newest write cut in half.
    package var fewImages: [DiskImage] {
        let count = pending.count
        var subsets: [[Bool]]
        if count <= 3 {
            subsets = (0..<(1 << count)).map { mask in (0..<count).map { mask >> $0 & 1 == 1 } }
        } else {
            subsets = (0...count).map { length in (0..<count).map { $0 < length } }
            subsets += (0..<count).map { lost in (0..<count).map { $0 != lost } }
        }
        var images = subsets.map { image(survivors: $0) }
        let all = Array(repeating: true, count: count)
        if let last = pending.lastIndex(where: { $0.writtenByteCount != nil }),
            let byteCount = pending[last].writtenByteCount
        {
            images.append(image(survivors: all, tear: (last, .kept(0..<byteCount / 2))))
        }
        return images
    }
}
