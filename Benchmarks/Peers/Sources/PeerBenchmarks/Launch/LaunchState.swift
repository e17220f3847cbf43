/// How a launch finds a store.
enum LaunchState: String, CaseIterable {
    case closed, closedEvicted, changed, changedEvicted

    /// Of the files that the launch opens.
    var home: Home { hasChanges ? .crashed : .stores }

    /// Titles were changed since the store was compacted, and the app was killed.
    var hasChanges: Bool { self == .changed || self == .changedEvicted }

    var isEvicted: Bool { self == .closedEvicted || self == .changedEvicted }

    var title: String {
        switch self {
        case .closed: "compacted and closed, files cached"
        case .closedEvicted: "compacted and closed, files not cached"
        case .changed: "\(LaunchGroup.changeCount) titles changed and killed, files cached"
        case .changedEvicted: "\(LaunchGroup.changeCount) titles changed and killed, files not cached"
        }
    }
}
