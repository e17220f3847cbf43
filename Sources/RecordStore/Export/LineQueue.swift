import StorageEngine

/// Lines of an export on their way in: those that name what is not there yet wait for it.
///
/// A reference, since a transaction takes from it what it has released itself.
final class LineQueue: Sendable {
    struct Entry: Sendable {
        let number: Int
        /// Of the line as it was read.
        let byteCount: Int
        let line: JSONValue
    }

    private struct State {
        /// By the identifier that they wait for.
        var waiting: [UInt64: [Entry]] = [:]
        /// Whose turn it is, from `first` on.
        var ready: [Entry] = []
        var first = 0
        var readyByteCount = 0

        mutating func makeReady(_ entries: [Entry]) {
            ready += entries
            for entry in entries { readyByteCount += entry.byteCount }
        }
    }

    private let state = Lock(State())

    /// Those that were taken and are still held with them.
    var takenCount: Int { state.withLock { $0.first } }

    var readyCount: Int { state.withLock { $0.ready.count - $0.first } }

    var readyByteCount: Int { state.withLock { $0.readyByteCount } }

    /// Those that nothing has come for, by line.
    var left: [Entry] { state.withLock { $0.waiting.values.joined().sorted { $0.number < $1.number } } }

    func add(_ entry: Entry) { state.withLock { $0.makeReady([entry]) } }

    func add(_ entry: Entry, waitingFor id: UInt64) { state.withLock { $0.waiting[id, default: []].append(entry) } }

    /// What waits for an identifier comes again.
    func release(_ id: UInt64) {
        state.withLock { state in
            if let entries = state.waiting.removeValue(forKey: id) { state.makeReady(entries) }
        }
    }

    func next() -> Entry? {
        state.withLock { state in
            guard state.first < state.ready.count else { return nil }
            defer {
                state.first += 1
                // What was taken is not kept, and what is left is moved once for each that was taken at the most.
                if state.first * 2 >= state.ready.count {
                    state.ready.removeSubrange(..<state.first)
                    state.first = 0
                }
            }
            state.readyByteCount -= state.ready[state.first].byteCount
            return state.ready[state.first]
        }
    }
}

extension LineQueue.Entry {
    /// Of the line, or of the record that it is.
    var kindName: String? { line["kind"]?.text }

    /// The identifier under which the line comes in.
    var identifier: UInt64? { line["id"]?.text.flatMap { ID<AppRecord>($0) }?.rawValue }

    /// The record that the line is, as others name it.
    var linkedRecord: LinkedRecord? {
        guard line["type"]?.text == "record", let kindName, let identifier else { return nil }
        return LinkedRecord(target: .records(kindName), id: identifier)
    }
}
