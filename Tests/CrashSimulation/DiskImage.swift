/// What lies on a medium after a crash.
public struct DiskImage: Hashable, Sendable {
    /// `nil` when the directory itself is gone.
    public var files: [String: [UInt8]]?

    public init(files: [String: [UInt8]]?) { self.files = files }
}
