/// What holds memory that it can fill again.
protocol MemoryReleasing: AnyObject, Sendable {
    /// How much it holds.
    var memoryByteCount: Int { get }
    func releaseMemory()
}
