/// The medium as operations reach it: what is certainly there, and what may or may not be.
struct CrashState {
    /// What flushes have made certain.
    private var contents: [Int: [UInt8]] = [:]
    private var names: [String: Int] = [:]
    /// Operations since, in order.
    private(set) var pending: [DiskOperation] = []

    init(files: [String: [UInt8]] = [:]) {
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            let file = contents.count
            names[name] = file
            contents[file] = bytes
        }
    }

    mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .flush(let file):
            for case let earlier in pending where earlier.file == file { commit(earlier) }
            pending.removeAll { $0.file == file }
        case .flushDirectory:
            for earlier in pending where earlier.isOfDirectory { commit(earlier) }
            pending.removeAll(where: \.isOfDirectory)
        default:
            pending.append(operation)
        }
    }

    private mutating func commit(_ operation: DiskOperation) {
        switch operation {
        case .write(let file, let byteOffset, let bytes): contents[file, default: []].write(bytes, at: byteOffset)
        case .resize(let file, let byteCount): contents[file, default: []].resize(to: byteCount)
        case .create(let name, let file): names[name] = file
        case .rename(let name, let to): if let file = names.removeValue(forKey: name) { names[to] = file }
        case .remove(let name): names.removeValue(forKey: name)
        case .flush, .flushDirectory: break
        }
    }

    /// The files a crash leaves when the pending operations in `survivors` reached the medium and no others did.
    /// A write of which a part survived is replaced by that part.
    func image(survivors: [Bool], torn: (index: Int, kept: Range<Int>)? = nil) -> [String: [UInt8]] {
        var result = self
        for (index, operation) in pending.enumerated() where survivors[index] {
            if let torn, torn.index == index, case .write(let file, let byteOffset, let bytes) = operation {
                let kept = torn.kept.clamped(to: 0..<bytes.count)
                result.commit(
                    .write(file: file, byteOffset: byteOffset + kept.lowerBound, bytes: Array(bytes[kept])))
            } else {
                result.commit(operation)
            }
        }
        return result.names.mapValues { result.contents[$0] ?? [] }
    }
}

extension DiskOperation {
    var file: Int? {
        switch self {
        case .write(let file, _, _), .resize(let file, _), .flush(let file): file
        default: nil
        }
    }

    var isOfDirectory: Bool {
        switch self {
        case .create, .rename, .remove: true
        default: false
        }
    }

    var writtenByteCount: Int? {
        if case .write(_, _, let bytes) = self { bytes.count } else { nil }
    }
}
