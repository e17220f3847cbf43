import Synchronization

#if TSAN
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// A value and the lock that guards it, as the thread sanitizer understands it: the slow path of
    /// `Synchronization.Mutex` on Linux lies in a library that is not instrumented, and is reported as a race.
    package struct Lock<Value>: ~Copyable, @unchecked Sendable {
        // Safe to share because the value is reached under the mutex only.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        package init(_ initial: consuming sending Value) {
            mutex = .allocate(capacity: 1)
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
            value.deinitialize(count: 1).deallocate()
        }

        package borrowing func withLock<Result, Failure>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#else
    /// A value and the lock that guards it.
    package typealias Lock = Mutex
#endif
