/// The file in which those who share a store say how far its log goes.
final class LogHeadFile: Sendable {
    let path: String
    private let fileSystem: any FileSystem
    private let writes: Bool
    private let state = Lock(State())

    private struct State {
        var file: (any File)?
        var last: LogHead?
    }

    init(_ files: StoreFiles, _ fileSystem: any FileSystem, writes: Bool) {
        path = files.head
        self.writes = writes
        self.fileSystem = fileSystem
    }

    /// Says so, where something else was said before. Whoever cannot be told learns of it from the next who writes, so that an error is none.
    func write(_ head: LogHead) {
        state.withLock { state in
            guard state.last != head else { return }
            do throws(StorageError) {
                if state.file == nil { state.file = try open() }
                try state.file?.write(head.encoded(), at: 0)
                state.last = head
            } catch {
                state.file = nil
            }
        }
    }

    /// `nil` where there is none to be read.
    private func open() throws(StorageError) -> (any File)? {
        let isAbsent = try fileSystem.kind(of: path) == .absent
        guard writes else { return isAbsent ? nil : try fileSystem.openFile(path, .reading) }
        return try fileSystem.openFile(path, isAbsent ? .creating : .writing)
    }

    /// What was said last; `nil` when nothing was, or something is being said.
    func read() -> LogHead? { state.withLock { read(&$0) } }

    /// The same when somebody else has said it.
    func readNews() -> LogHead? {
        state.withLock { state in
            let said = read(&state)
            return said == state.last ? nil : said
        }
    }

    func hasNews() -> Bool { readNews() != nil }

    private func read(_ state: inout State) -> LogHead? {
        do throws(StorageError) {
            if state.file == nil { state.file = try open() }
            return try state.file?.read(byteCount: LogHead.byteCount, at: 0).withBytes { LogHead(decoding: $0) }
        } catch {
            return nil
        }
    }

    func close() {
        state.withLock { state in
            state.file?.close()
            state.file = nil
        }
    }
}
