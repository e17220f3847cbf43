/// Hears of it when another process comes to a later generation of a store that is damaged, so that it can only be read here and nothing of its log
/// can be followed: a restored store has taken its place then, or who had it open before the damage has written all of it anew.
final class MendingWatch: Sendable {
    private struct State {
        var head: LogHeadFile?
        var watch: (any FileWatch)?
        /// The generation for which the store was opened again. Where that has not helped, it does not help once more.
        var tried: UInt64 = 0
    }

    private let state = Lock(State())

    func begin(_ files: StoreFiles, _ fileSystem: any FileSystem, _ onNews: @escaping @Sendable () -> Void) {
        let head = LogHeadFile(files, fileSystem, writes: false)
        let watch = fileSystem.watch(head.path, onNews)
        state.withLock { state in (state.head, state.watch) = (head, watch) }
    }

    /// Whether somebody has come beyond a generation, and an opening has begun for that.
    ///
    /// - Parameter beginAgain: begins one; `false` where it cannot, as while another is under way, at whose end this is asked again.
    func isMended(beyond generation: UInt64, _ beginAgain: () -> Bool) -> Bool {
        state.withLock { state in
            guard let said = state.head?.read(), said.generation > max(generation, state.tried), beginAgain()
            else { return false }
            state.tried = said.generation
            return true
        }
    }

    func end() {
        state.withLock { state in
            state.watch?.cancel()
            state.head?.close()
            (state.head, state.watch) = (nil, nil)
        }
    }
}
