/// Which calls to a disk fail from now on.
public struct DiskFault: Sendable {
    public enum Call: String, CaseIterable, Sendable {
        case write, flush, flushDirectory, rename
    }

    let call: Call
    /// Calls of this kind that still succeed.
    var passing: Int
    /// How many fail then; `nil` for all.
    var failing: Int?

    public init(_ call: Call, after passing: Int = 0, times failing: Int? = 1) {
        self.call = call
        self.passing = passing
        self.failing = failing
    }

    mutating func strikes(_ made: Call) -> Bool {
        guard made == call else { return false }
        if passing > 0 {
            passing -= 1
            return false
        }
        guard let left = failing else { return true }
        failing = max(0, left - 1)
        return left > 0
    }
}
