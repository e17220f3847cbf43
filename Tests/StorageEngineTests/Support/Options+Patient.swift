import StorageEngine

extension Options {
    /// Compacts by hand, and waits for others as long as it takes: beside many tests, who has the lock may wait long for a thread.
    static func patient(_ access: Access = .shared) -> Options {
        var options = Options(access: access, compaction: .manual)
        options.lockLimit = .seconds(36_000)
        return options
    }
}
