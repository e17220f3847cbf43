import Observation
import StorageEngine

/// What tells those who show how a library fares that it has changed; and what happened to it by itself since it was opened.
final class HealthBoard: Observable, Sendable {
    private struct State {
        var rescue: (reason: StorageError, time: UInt64)?
        var isUpgrading = false
    }

    private let registrar = ObservationRegistrar()
    private let state = Lock(State())

    /// The log failed while the library was open, and everything was written to new files.
    var rescue: (reason: StorageError, time: UInt64)? { state.withLock { $0.rescue } }

    /// Whether what is derived is being made anew.
    var isUpgrading: Bool {
        get { state.withLock { $0.isUpgrading } }
        set { change { $0.isUpgrading = newValue } }
    }

    /// What is read next is shown, and shown again when it may have changed.
    func access() { registrar.access(self, keyPath: \.isUpgrading) }

    /// - Parameter time: of the notice, milliseconds since 1970.
    func take(_ notice: StoreNotice, at time: UInt64) {
        switch notice {
        case .rescued(_, let error): change { $0.rescue = (error, time) }
        // What was rescued was the library that was open before.
        case .opened: change { $0.rescue = nil }
        case .opening, .openingFailed, .readInstead, .refusing, .closed: signal()
        case .compacted, .compactionFailed, .stalled, .resumed, .followingFailed: break
        }
    }

    /// Something that the board does not hold has changed.
    func signal() { change { _ in } }

    private func change(_ body: (inout State) -> Void) {
        registrar.withMutation(of: self, keyPath: \.isUpgrading) { state.withLock { body(&$0) } }
    }
}
