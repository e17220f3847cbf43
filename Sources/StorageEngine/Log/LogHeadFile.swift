/// The file in which those who share a store say how far its log goes.
///
/// Anybody may remove it: it is made anew by the next who has something to say, and those who had the old one open go over to that.
final class LogHeadFile: Sendable {
    let path: String
    private let fileSystem: any FileSystem
    private let writes: Bool
    private let state = Lock(State())

    private struct State {
        var file: (any File)?
        var last: LogHead?
        var watch: (any FileWatch)?
        var onChange: (@Sendable () -> Void)?
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
                try say(head, &state)
                // Of a file without a name nobody hears. One that loses it later was heard of.
                if leaveIfGone(&state) { try say(head, &state) }
                state.last = head
            } catch {
                state.file = nil
            }
        }
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
        if leaveIfGone(&state) { state.last = nil }
        do throws(StorageError) {
            if state.file == nil {
                guard try fileSystem.kind(of: path) != .absent else { return nil }
                use(try fileSystem.openFile(path, writes ? .writing : .reading), &state)
            }
            return try state.file?.read(byteCount: LogHead.byteCount, at: 0).withBytes { LogHead(decoding: $0) }
        } catch {
            return nil
        }
    }

    private func say(_ head: LogHead, _ state: inout State) throws(StorageError) {
        if state.file == nil {
            let isAbsent = try fileSystem.kind(of: path) == .absent
            use(try fileSystem.openFile(path, isAbsent ? .creating : .writing), &state)
        }
        try state.file?.write(head.encoded(), at: 0)
    }

    private func use(_ file: any File, _ state: inout State) {
        state.file = file
        watchAnew(&state)
    }

    /// Closes a file that has lost its name. Who has nothing to say makes no other: the directory may be about to go.
    private func leaveIfGone(_ state: inout State) -> Bool {
        guard let file = state.file, (try? file.isNamed()) == false else { return false }
        file.close()
        state.file = nil
        watchAnew(&state)
        return true
    }

    // MARK: Hearing of it

    /// Calls `onChange` when somebody writes to the file, or to one that takes its place.
    func watch(_ onChange: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.onChange = onChange
            watchAnew(&state)
        }
    }

    /// The system tells of the file that has the name now; while there is none, the watch looks from time to time.
    private func watchAnew(_ state: inout State) {
        state.watch?.cancel()
        state.watch = state.onChange.map { fileSystem.watch(path, $0) }
    }

    func close() {
        state.withLock { state in
            state.watch?.cancel()
            state.file?.close()
            (state.file, state.watch, state.onChange) = (nil, nil, nil)
        }
    }
}
