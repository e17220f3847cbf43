// The declarations of Apple's module os that RecordStore uses, as Apple's interface has them, without what they do. On Linux what shows a library
// to the system's log and to Instruments is type-checked against this module; nothing of it ever runs.

public struct OSLogType: Equatable, Sendable, RawRepresentable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let `default` = OSLogType(rawValue: 0x00)
    public static let info = OSLogType(rawValue: 0x01)
    public static let debug = OSLogType(rawValue: 0x02)
    public static let error = OSLogType(rawValue: 0x10)
}

public struct OSLogPrivacy {
    public static var `public`: OSLogPrivacy { OSLogPrivacy() }
    public static var `private`: OSLogPrivacy { OSLogPrivacy() }
}

public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) {}
    public mutating func appendInterpolation(_ text: @autoclosure @escaping () -> String, privacy: OSLogPrivacy) {}
}

public struct OSLogMessage: ExpressibleByStringInterpolation {
    public init(stringInterpolation: OSLogInterpolation) {}
    public init(stringLiteral value: String) {}
}

public typealias SignpostMetadata = OSLogMessage

public struct Logger: Sendable {
    public init(subsystem: String, category: String) {}
    public func log(level: OSLogType, _ message: OSLogMessage) {}
}

public struct OSSignpostID: Sendable, Equatable {
    public static let exclusive = OSSignpostID()
}

/// Not to be sent to another thread.
public class OSSignpostIntervalState {
    public class func beginState(id: OSSignpostID) -> OSSignpostIntervalState { OSSignpostIntervalState() }
}

public struct OSSignposter: @unchecked Sendable {
    public init(subsystem: String, category: String) {}
    public var isEnabled: Bool { false }
    public func makeSignpostID() -> OSSignpostID { .exclusive }
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState { OSSignpostIntervalState() }
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
}
