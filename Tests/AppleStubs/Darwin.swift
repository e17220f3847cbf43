// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The declarations of Apple's module Darwin that the engine uses and Linux lacks, and those of Foundation and Dispatch there, as Apple's interfaces have them, without
// what they do. On Linux the engine and RecordStore are type-checked against this module; nothing of it ever runs. Types that both systems name alike are Linux's.

import Dispatch
import Foundation
@_exported import Glibc

public var F_PREALLOCATE: Int32 { 42 }
public var F_FULLFSYNC: Int32 { 51 }
public var F_BARRIERFSYNC: Int32 { 85 }
public var F_ALLOCATEALL: Int32 { 4 }
public var F_PEOFPOSMODE: Int32 { 3 }
public var O_EVTONLY: Int32 { 0x8000 }
public var MADV_FREE: Int32 { 5 }
public var MADV_FREE_REUSABLE: Int32 { 7 }
public var MINCORE_INCORE: Int32 { 1 }

public struct fstore_t {
    public var fst_flags: UInt32
    public var fst_posmode: Int32
    public var fst_offset: off_t
    public var fst_length: off_t
    public var fst_bytesalloc: off_t
    public init(
        fst_flags: UInt32, fst_posmode: Int32, fst_offset: off_t, fst_length: off_t, fst_bytesalloc: off_t
    ) { fatalError() }
}

@unsafe public func malloc_zone_pressure_relief(_ zone: UnsafeMutablePointer<Int>?, _ goal: Int) -> Int { 0 }

@unsafe public func mincore(
    _ address: UnsafeRawPointer?, _ byteCount: Int, _ states: UnsafeMutablePointer<CChar>?
) -> Int32 { 0 }

// MARK: Dispatch

public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {}

extension DispatchSource {
    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject { fatalError() }
}

// MARK: Foundation

extension ProcessInfo {
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) { fatalError() }
}

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

extension URL {
    public static var applicationSupportDirectory: URL { fatalError() }
}
