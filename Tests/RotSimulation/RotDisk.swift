import StorageEngine

/// One directory in memory, made from an image and looked at as one. Notes the largest read it was asked for, and refuses
/// what it is told to.
public final class RotDisk: FileSystem {
    enum Call: Sendable {
        case rename, remove, flush
    }

    fileprivate struct State {
        var names: [String: Int] = [:]
        var contents: [[UInt8]] = []
        /// Of files that are longer than their bytes.
        var byteCounts: [Int: Int] = [:]
        var largestRead = 0

        func byteCount(of file: Int) -> Int { max(contents[file].count, byteCounts[file] ?? 0) }
        var refusal: (@Sendable (_ call: Call, _ name: String) -> Bool)?
    }

    private let state: Lock<State>

    public init(_ image: StoreImage = StoreImage(files: [:])) {
        var initial = State()
        for (name, bytes) in image.files {
            let file = initial.contents.count
            initial.names[name] = file
            initial.contents.append(bytes)
            initial.byteCounts[file] = image.byteCounts[name]
        }
        state = Lock(initial)
    }

    public var image: StoreImage {
        state.withLock { state in
            var image = StoreImage(files: state.names.mapValues { state.contents[$0] })
            image.byteCounts = state.names.compactMapValues { state.byteCounts[$0] }
            return image
        }
    }

    /// Bytes of the largest buffer a read was to fill.
    public var largestRead: Int { state.withLock { $0.largestRead } }

    func refuse(_ refusal: (@Sendable (_ call: Call, _ name: String) -> Bool)?) {
        state.withLock { $0.refusal = refusal }
    }

    private func name(_ path: String) -> String { String(path.dropFirst(StoreImage.path.count + 1)) }

    public func kind(of path: String) -> PathKind {
        if path == StoreImage.path { return .directory }
        return state.withLock { $0.names[name(path)] == nil ? .absent : .file }
    }

    public func createDirectory(_ path: String, sharing: Sharing) {}

    public func names(inDirectory path: String) -> [String] { state.withLock { $0.names.keys.sorted() } }

    public func flushDirectory(_ path: String) {}

    public func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        let name = name(path)
        let file = state.withLock { state -> Int? in
            if mode == .creating {
                state.names[name] = state.contents.count
                state.contents.append([])
            }
            return state.names[name]
        }
        guard let file else { throw .notFound(path: path) }
        return RotFile(path: path, file: file, disk: self)
    }

    public func rename(_ path: String, to target: String) throws(StorageError) {
        let (from, to) = (name(path), name(target))
        let isDone = state.withLock { state in
            if state.refusal?(.rename, to) == true { return false }
            state.names[to] = state.names.removeValue(forKey: from)
            return true
        }
        if !isDone { throw .diskFull(path: target) }
    }

    public func remove(_ path: String) throws(StorageError) {
        let name = name(path)
        let isDone = state.withLock { state in
            if state.refusal?(.remove, name) == true { return false }
            state.names.removeValue(forKey: name)
            return true
        }
        if !isDone { throw .notPermitted(path: path) }
    }

    public func lock(_ path: String) -> any FileLock {
        let name = name(path)
        state.withLock { state in
            guard state.names[name] == nil else { return }
            state.names[name] = state.contents.count
            state.contents.append([])
        }
        return NoLock()
    }

    public func now() -> UInt64 { 0 }

    fileprivate func withState<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
        state.withLock(body)
    }
}

private final class NoLock: FileLock {
    func take() -> Bool { true }

    func letGo() {}

    func unlock() {}
}

private final class RotFile: File {
    let path: String
    private let file: Int
    private let disk: RotDisk

    init(path: String, file: Int, disk: RotDisk) {
        self.path = path
        self.file = file
        self.disk = disk
    }

    func byteCount() -> Int { disk.withState { $0.byteCount(of: file) } }
    func isNamed() -> Bool { true }

    func dataExtent(from byteOffset: Int) -> Range<Int>? {
        let end = disk.withState { $0.contents[file].count }
        return byteOffset < end ? byteOffset..<end : nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) -> Int {
        let byteCount = buffer.count
        let bytes = disk.withState { state in
            state.largestRead = max(state.largestRead, byteCount)
            var bytes = Array(state.contents[file].dropFirst(byteOffset).prefix(byteCount))
            bytes.resize(to: max(bytes.count, min(byteCount, state.byteCount(of: file) - byteOffset)))
            return bytes
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) {
        let copy = [UInt8](bytes)
        disk.withState { state in
            let end = byteOffset + copy.count
            if end > state.contents[file].count { state.contents[file].resize(to: end) }
            state.contents[file].replaceSubrange(byteOffset..<end, with: copy)
        }
    }

    /// Reserves two pages at the most, so that an image is small.
    func reserve(byteCount: Int) {
        disk.withState { state in
            let present = state.byteCount(of: file)
            if byteCount > present { state.contents[file].resize(to: min(byteCount, present + 8192)) }
        }
    }

    func truncate(byteCount: Int) {
        disk.withState { state in
            state.byteCounts[file] = nil
            state.contents[file].resize(to: byteCount)
        }
    }

    func flush(_ kind: FlushKind) throws(StorageError) {
        let name = String(path.dropFirst(StoreImage.path.count + 1))
        let isRefused = disk.withState { $0.refusal?(.flush, name) == true }
        if isRefused { throw .inputOutput(operation: "flush", path: path, code: 5) }
    }

    func map() -> Mapping { Mapping(copying: disk.withState { $0.contents[file] }) }

    func close() {}
}

extension [UInt8] {
    mutating func resize(to byteCount: Int) {
        if byteCount < count {
            removeLast(count - byteCount)
        } else {
            append(contentsOf: repeatElement(0, count: byteCount - count))
        }
    }

    /// A little-endian number of `width` bytes.
    func number(at byteOffset: Int, _ width: Int) -> Int {
        var number: UInt64 = 0
        for index in (0..<width).reversed() { number = number << 8 | UInt64(self[byteOffset + index]) }
        return Int(truncatingIfNeeded: number)
    }
}
