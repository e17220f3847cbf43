/// What the process says when it ends. The numbers are those of sysexits.h where it has one; scripts rely on them.
enum ExitStatus: Int32, Sendable {
    case done = 0
    /// Looked and found something: damage, differences.
    case found = 1
    case wrongUsage = 64
    /// The input is not what it says it is, or nothing of it can be saved.
    case badInput = 65
    /// There is no such library, file or work.
    case notFound = 66
    /// A bug in bookdb.
    case defect = 70
    /// Will not overwrite an existing file.
    case exists = 73
    case inputOutput = 74
    /// In use by another process: try again.
    case inUse = 75
    /// Written by a newer BookDB, or by one so old that it has to be opened for writing first.
    case otherVersion = 76
    case notPermitted = 77
    case hungUp = 129
    case interrupted = 130
    case terminated = 143
}
