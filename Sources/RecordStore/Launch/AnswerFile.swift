import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cached answers of an app, by name: in memory, and in a small file beside the log.
///
/// Read once: of a library that opens in the background on the thread of the opening, so that nobody who asks for an answer waits for a
/// disk; otherwise when the first is asked for.
final class AnswerFile: Sendable {
    struct Stored: Codable, Sendable {
        /// JSON of the value.
        var value: Data
        var date: Date
    }

    private struct State {
        var isReadWhenAsked: Bool
        /// `nil` until the file was read.
        var answers: [String: Stored]?
        /// What was set before that.
        var early: [String: Stored] = [:]
        /// Whether the library is open for writing: a directory that is none gets no file.
        var mayWrite = false
        var isWriting = false
        var isChanged = false
    }

    private let file: SideFile<[String: Stored]>
    private let state: Lock<State>

    init(path: String, fileSystem: any FileSystem, isReadWhenAsked: Bool) {
        state = Lock(State(isReadWhenAsked: isReadWhenAsked))
        file = SideFile(path: path, magic: "BDANSWER", fileSystem: fileSystem)
    }

    func load() {
        let found = file.read() ?? [:]
        state.withLock { state in
            guard state.answers == nil else { return }
            state.answers = found.merging(state.early) { $1 }
            state.early = [:]
        }
        write()
    }

    subscript(name: String) -> Stored? {
        loadIfAsked()
        return state.withLock { $0.answers?[name] ?? $0.early[name] }
    }

    private func loadIfAsked() {
        if state.withLock({ $0.isReadWhenAsked && $0.answers == nil }) { load() }
    }

    /// Whether the file was read: what is not there then was never answered.
    var isLoaded: Bool { state.withLock { $0.answers != nil } }

    func set(_ stored: Stored?, _ name: String) {
        loadIfAsked()
        state.withLock { state in
            state.isChanged = true
            if state.answers == nil { state.early[name] = stored } else { state.answers?[name] = stored }
        }
        write()
    }

    /// The library is open for writing.
    func allowWriting() {
        state.withLock { $0.mayWrite = true }
        write()
    }

    /// Writes what was set and is not written, off the caller's thread.
    private func write() {
        let begins = state.withLock { state in
            guard state.mayWrite, state.isChanged, !state.isWriting, state.answers != nil else { return false }
            state.isWriting = true
            return true
        }
        guard begins else { return }
        Task(priority: .utility) { self.writeChanges() }
    }

    private func writeChanges() {
        while let answers = next() {
            guard file.write(answers) else {
                return state.withLock { ($0.isWriting, $0.isChanged) = (false, true) }
            }
        }
    }

    private func next() -> [String: Stored]? {
        state.withLock { state in
            guard state.isChanged, let answers = state.answers else {
                state.isWriting = false
                return nil
            }
            state.isChanged = false
            return answers
        }
    }

    /// Returns when nothing is being written.
    func settle() async { while state.withLock({ $0.isWriting }) { await Task.yield() } }
}
