#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The place where Swift's runtime hands over every job that is to run on the cooperative pool.
///
/// `swift_task_enqueueGlobal_hook` is a variable of the runtime, there for programs that bring their own executor. Jobs that
/// become runnable on a thread with a scheduler go to that one; all others go their usual way, so tests beside are not disturbed.
/// (`Task.yield` and `Task.sleep` do not come past here.)
enum JobHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// Once for the process.
    static func install() { _ = isInstalled }

    private static let isInstalled: Bool = {
        guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            preconditionFailure("Swift's runtime has no swift_task_enqueueGlobal_hook; link it dynamically")
        }
        let hook: Hook = { job, original in
            guard let scheduler = JobHook.scheduler else { return original(job) }
            scheduler.add(job)
        }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = hook
        return true
    }()

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Of this thread.
    static var scheduler: JobScheduler? {
        get { pthread_getspecific(key).map { Unmanaged<JobScheduler>.fromOpaque($0).takeUnretainedValue() } }
        set { pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }

    /// Runs a job on this thread, as a thread of the cooperative pool would: on no serial executor.
    static func run(_ job: UnownedJob) {
        runJob(job, unsafeBitCast((0, 0), to: UnownedSerialExecutor.self))
    }
}

@_silgen_name("swift_job_run") private func runJob(_ job: UnownedJob, _ executor: UnownedSerialExecutor)
