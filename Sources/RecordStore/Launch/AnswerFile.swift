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
        /// What this process has set or forgotten and not written yet.
        var changes: [String: Change] = [:]
        /// Whether the library is open for writing: a directory that is none gets no file.
        var mayWrite = false
        var isWriting = false

        /// Of what is known: answers of other processes may take the rest of the file.
        func hasRoom(for stored: Stored, _ name: String) -> Bool {
            var all = answers ?? early
            all[name] = stored
            let byteCount = all.reduce(0) { $0 + $1.key.utf8.count + $1.value.value.count + byteCountAround }
            return byteCount <= byteLimit
        }
    }

    private struct Change {
        /// `nil` when it was forgotten.
        var stored: Stored?
        /// When what it takes the place of was answered, as this process knew it.
        var known: Date?
    }

    /// Of the JSON of all answers and their names. The file holds it in base 64, with some words around each.
    static let byteLimit = 700 << 10
    private static let byteCountAround = 100

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
            for (name, change) in state.changes {
                state.changes[name]?.known = found[name]?.date
                if change.stored == nil { state.answers?[name] = nil }
            }
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

    /// - Returns: whether there is room beside the other answers. Nothing is changed where there is none.
    @discardableResult
    func set(_ stored: Stored?, _ name: String) -> Bool {
        loadIfAsked()
        let hasRoom = state.withLock { state in
            guard stored.map({ state.hasRoom(for: $0, name) }) ?? true else { return false }
            let known = state.changes[name]?.known ?? state.answers?[name]?.date
            state.changes[name] = Change(stored: stored, known: known)
            if state.answers == nil { state.early[name] = stored } else { state.answers?[name] = stored }
            return true
        }
        write()
        return hasRoom
    }

    /// The library is open for writing.
    func allowWriting() {
        state.withLock { $0.mayWrite = true }
        write()
    }

    /// Writes what was set and is not written, off the caller's thread.
    private func write() {
        let begins = state.withLock { state in
            guard state.mayWrite, !state.changes.isEmpty, !state.isWriting, state.answers != nil else { return false }
            state.isWriting = true
            return true
        }
        guard begins else { return }
        Task(priority: .utility) { self.writeChanges() }
    }

    private func writeChanges() {
        while let (answers, changes) = next() {
            let merged = Self.merging(changes, into: file.read() ?? answers)
            let isWritten = file.write(merged)
            state.withLock { state in
                if isWritten {
                    // What other processes were told, but for what was set here meanwhile.
                    let newer = state.answers ?? [:]
                    state.answers = merged
                    for name in state.changes.keys {
                        state.changes[name]?.known = merged[name]?.date
                        state.answers?[name] = newer[name]
                    }
                } else {
                    state.changes.merge(changes) { newer, _ in newer }
                    state.isWriting = false
                }
            }
            guard isWritten else { return }
        }
    }

    /// The newest answer to each question. What this process has set takes the place of what it knew, whatever a clock said.
    private static func merging(_ changes: [String: Change], into found: [String: Stored]) -> [String: Stored] {
        var merged = found
        for (name, change) in changes {
            if let there = found[name], there.date != change.known, there.date > change.stored?.date ?? .distantPast {
                continue
            }
            merged[name] = change.stored
        }
        return merged
    }

    private func next() -> (answers: [String: Stored], changes: [String: Change])? {
        state.withLock { state in
            guard !state.changes.isEmpty, let answers = state.answers else {
                state.isWriting = false
                return nil
            }
            defer { state.changes = [:] }
            return (answers, state.changes)
        }
    }

    /// Returns when nothing is being written.
    func settle() async { while state.withLock({ $0.isWriting }) { await Task.yield() } }
}
