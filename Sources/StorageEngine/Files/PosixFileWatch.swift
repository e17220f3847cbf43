#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Dispatch

/// The system tells of writes: `inotify` on Linux, a file system source of Dispatch on Apple's.
///
/// After each it is not asked again for a millisecond, so that many commits a second cost a few hundred calls.
final class PosixFileWatch: FileWatch, @unchecked Sendable {
    // Safe to share because sources of Dispatch are made to be used on any thread.
    private let source: any DispatchSourceProtocol

    /// `nil` where there is no such file, or the system watches no more.
    init?(_ path: String, _ onChange: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "bookdb.watch", qos: .userInitiated)
        #if canImport(Darwin)
            // Safe because the kernel reads the path during the call.
            let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
            let drain: @Sendable () -> Void = {}
        #else
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            // Safe because the kernel reads the path during the call.
            guard unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
                _ = close(descriptor)
                return nil
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            let drain: @Sendable () -> Void = {
                var events = [UInt8](repeating: 0, count: 4096)
                // Safe because the kernel fills the array within its count. What the events say is known: the file was written to.
                while unsafe read(descriptor, &events, events.count) > 0 {}
            }
        #endif
        source.setEventHandler {
            drain()
            onChange()
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
        }
        source.setCancelHandler { _ = close(descriptor) }
        source.activate()
        self.source = source
    }

    deinit { source.cancel() }

    func cancel() { source.cancel() }
}
