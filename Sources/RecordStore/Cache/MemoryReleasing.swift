/// What holds memory that it can fill again.
protocol MemoryReleasing: AnyObject, Sendable {
    func releaseMemory()
}
