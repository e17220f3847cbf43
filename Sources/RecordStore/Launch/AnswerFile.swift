import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cached answers of an app, by name: in memory, and in a small file beside the log.
///
/// Read once: of a library that opens in the background on the thread of the opening, so that nobody who asks for an answer waits for a
/// disk; otherwise when the first is asked for. Where there was no file it is looked for again whenever the library is opened again: its disk may not
/// have been there.
final class AnswerFile: Sendable {
    struct Stored: Codable, Sendable {
        /// JSON of the value.
        var value: Data
        var date: Date

        /// What it counts against the limit, with its name as JSON writes it: a control character takes six bytes.
        func byteCount(_ name: String) -> Int {
            name.utf8.reduce(value.count + byteCountAround) { count, byte in
                count + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
            }
        }
    }

    private struct State {
        var isReadWhenAsked: Bool
        /// `nil` until the file was looked for.
        var answers: [String: Stored]?
        /// What was set before that.
        var early: [String: Stored] = [:]
        /// Whether the file was there, or was written since: what it has is known.
        var isFound = false
        /// What this process has set or forgotten and not written yet.
        var changes: [String: Change] = [:]
        /// What has no room beside what other processes have written. It is tried again with the next change.
        var waiting: [String: Change] = [:]
        /// Whether the library is open for writing: a directory that is none gets no file.
        var mayWrite = false
        var isWriting = false

        /// Takes in what the file has, under what this process has set and forgotten.
        mutating func take(_ found: [String: Stored]) {
            answers = found.merging(answers ?? early) { $1 }
            for (name, change) in changes {
                changes[name]?.known = found[name]?.date
                if change.stored == nil { answers?[name] = nil }
            }
            early = [:]
        }

        /// Of what is known to be in the file, or to come into it: answers of other processes may take the rest.
        func hasRoom(for stored: Stored, _ name: String) -> Bool {
            var all = answers ?? early
            for name in waiting.keys { all[name] = nil }
            all[name] = stored
            return haveRoom(all)
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

    /// Whether they fit into the file. In base 64 they take at most four thirds of the limit, and a file that large is read again.
    private static func haveRoom(_ answers: [String: Stored]) -> Bool {
        answers.reduce(0) { $0 + $1.value.byteCount($1.key) } <= byteLimit
    }

    private let file: SideFile<[String: Stored]>
    private let state: Lock<State>
    private let foundNoRoom: @Sendable (_ name: String) -> Void

    /// - Parameter foundNoRoom: called for an answer that was kept and is not in the file, since other processes have filled it.
    init(
        path: String, fileSystem: any FileSystem, isReadWhenAsked: Bool,
        foundNoRoom: @escaping @Sendable (_ name: String) -> Void = { _ in }
    ) {
        state = Lock(State(isReadWhenAsked: isReadWhenAsked))
        file = SideFile(path: path, magic: "BDANSWER", fileSystem: fileSystem)
        self.foundNoRoom = foundNoRoom
    }

    /// Reads the file, unless that was done.
    func load() {
        let found = file.read()
        state.withLock { state in
            guard !state.isFound, found != nil || state.answers == nil else { return }
            state.isFound = found != nil
            state.take(found ?? [:])
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

    /// Whether the file was looked for: what is not there then was never answered, or lies on a disk that is not there.
    var isLoaded: Bool { state.withLock { $0.answers != nil } }

    /// - Returns: whether there is room beside the other answers. Nothing is changed where there is none.
    @discardableResult
    func set(_ stored: Stored?, _ name: String) -> Bool {
        loadIfAsked()
        let hasRoom = state.withLock { state in
            guard stored.map({ state.hasRoom(for: $0, name) }) ?? true else { return false }
            let known = (state.changes[name] ?? state.waiting[name])?.known ?? state.answers?[name]?.date
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
        while let (others, changes, fresh) = next() {
            let (merged, left) = Self.merging(changes, into: file.read() ?? others)
            let isWritten = file.write(merged)
            state.withLock { state in
                guard isWritten else {
                    state.changes.merge(changes.filter { fresh.contains($0.key) }) { newer, _ in newer }
                    state.isWriting = false
                    return
                }
                state.isFound = true
                // What other processes were told, but for what was set here meanwhile or has no room.
                let newer = state.answers ?? [:]
                state.answers = merged
                state.waiting = left
                for name in Set(state.changes.keys).union(left.keys) {
                    state.changes[name]?.known = merged[name]?.date
                    state.waiting[name]?.known = merged[name]?.date
                    state.answers?[name] = newer[name]
                }
            }
            guard isWritten else { return }
            for name in fresh.intersection(left.keys).sorted() { foundNoRoom(name) }
        }
    }

    /// The newest answer to each question. What this process has set takes the place of what it knew, whatever a clock said. Of what does not fit the
    /// smallest go in, so that a large answer keeps no other from being written.
    ///
    /// - Returns: also the changes that have no room.
    private static func merging(
        _ changes: [String: Change], into found: [String: Stored]
    ) -> (merged: [String: Stored], left: [String: Change]) {
        var (merged, left) = (found, [String: Change]())
        let smallestFirst = changes.sorted {
            ($0.value.stored?.byteCount($0.key) ?? 0, $0.key) < ($1.value.stored?.byteCount($1.key) ?? 0, $1.key)
        }
        for (name, change) in smallestFirst {
            if let there = found[name], there.date != change.known, there.date > change.stored?.date ?? .distantPast {
                continue
            }
            var next = merged
            next[name] = change.stored
            if change.stored == nil || haveRoom(next) { merged = next } else { left[name] = change }
        }
        return (merged, left)
    }

    /// - Returns: all that is to be written, which of it was set since the last time, and what is known beside it, for where the file is gone.
    private func next() -> (others: [String: Stored], changes: [String: Change], fresh: Set<String>)? {
        state.withLock { state in
            guard !state.changes.isEmpty, let answers = state.answers else {
                state.isWriting = false
                return nil
            }
            defer { state.changes = [:] }
            let changes = state.changes.merging(state.waiting) { newer, _ in newer }
            return (answers.filter { changes[$0.key] == nil }, changes, Set(state.changes.keys))
        }
    }

    /// Returns when nothing is being written.
    func settle() async { while state.withLock({ $0.isWriting }) { await Task.yield() } }
}
