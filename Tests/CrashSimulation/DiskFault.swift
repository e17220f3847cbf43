import StorageEngine

/// Which calls to a disk fail from now on, and what they say.
public struct DiskFault: Sendable, Hashable {
    public enum Call: String, CaseIterable, Sendable {
        case open, read, write, reserve, flush, truncate, map, rename, remove, names, flushDirectory
    }

    public enum Reason: String, CaseIterable, Sendable {
        case inputOutput, diskFull
    }

    /// `nil` counts calls of every kind, until the first that fails: later ones of its kind fail then.
    private(set) var call: Call?
    /// Calls that still succeed.
    private(set) var passing: Int
    /// How many fail then; `nil` for all.
    private(set) var failing: Int?
    let reason: Reason

    package var isLasting: Bool { failing == nil }

    public init(
        _ call: Call?, after passing: Int = 0, times failing: Int? = 1, _ reason: Reason = .inputOutput
    ) {
        self.call = call
        self.passing = passing
        self.failing = failing
        self.reason = reason
    }

    mutating func strikes(_ made: Call) -> Bool {
        guard call == nil || made == call else { return false }
        if passing > 0 {
            passing -= 1
            return false
        }
        call = made
        guard let left = failing else { return true }
        failing = max(0, left - 1)
        return left > 0
    }

    func error(_ call: Call, _ path: String) -> StorageError {
        switch reason {
        case .inputOutput: .inputOutput(operation: call.rawValue, path: path, code: 5)
        case .diskFull: .diskFull(path: path)
        }
    }
}
