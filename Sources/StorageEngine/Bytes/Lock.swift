import Synchronization

#if TSAN
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// A value and the lock that guards it, as the thread sanitizer understands it: the slow path of
    /// `Synchronization.Mutex` on Linux lies in a library that is not instrumented, and is reported as a race.
    ///
    /// Safe because both allocations live exactly as long as the lock, which cannot be copied.
    @safe package struct Lock<Value>: ~Copyable, @unchecked Sendable {
        // Safe to share because the value is reached under the mutex only.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        package init(_ initial: consuming sending Value) {
            unsafe mutex = .allocate(capacity: 1)
            unsafe mutex.initialize(to: pthread_mutex_t())
            unsafe pthread_mutex_init(mutex, nil)
            unsafe value = .allocate(capacity: 1)
            unsafe value.initialize(to: initial)
        }

        deinit {
            unsafe pthread_mutex_destroy(mutex)
            unsafe mutex.deallocate()
            unsafe value.deinitialize(count: 1).deallocate()
        }

        package borrowing func withLock<Result, Failure>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            return try unsafe body(&value.pointee)
        }
    }
#else
    /// A value and the lock that guards it.
    package typealias Lock = Mutex
#endif
