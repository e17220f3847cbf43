/// What lies on a medium after a crash.
public struct DiskImage: Hashable, Sendable {
    /// `nil` when the directory itself is gone.
    public var files: [String: [UInt8]]?

    public init(files: [String: [UInt8]]?) { self.files = files }

    public func hash(into hasher: inout Hasher) {
        guard let files else { return hasher.combine(0) }
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            hasher.combine(name)
            hasher.combine(wholeOf: bytes)
        }
    }
}

extension Hasher {
    /// The bytes in one go: ten times as fast as one by one.
    package mutating func combine(wholeOf bytes: [UInt8]) {
        combine(bytes.count)
        bytes.withUnsafeBytes { combine(bytes: $0) }
    }
}
