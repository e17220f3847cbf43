/// From nothing to the first fifty rows, as a store is opened to be read, and as an app opens it, for writing.
struct OpenGroup<Store: Peer> {
    private let access: Access
    private let home: FileTree
    private let path: String

    /// - Parameter access: what is opened for writing is a copy.
    init(_ context: Context, _ access: Access) {
        self.access = access
        home = context.home(access == .read ? .stores : .copies, Store.self)
        path = home.path + "/store"
    }

    func again(_ workload: Workload) async throws -> Measurement {
        var timing = Timing()
        _ = try await open()
        let start = ContinuousClock.now
        while timing.samples.count < 40, start.duration(to: .now) < .milliseconds(400) { timing.add(try await open()) }
        return Measurement(workload: workload, samples: timing.samples)
    }

    /// The first of its process.
    func once(_ workload: Workload, isEvicted: Bool = false) async throws -> Measurement {
        if isEvicted { try home.evict() }
        return Measurement(workload: workload, samples: [try await open().nanoseconds])
    }

    /// Closing is not part of it.
    private func open() async throws -> Duration {
        let start = ContinuousClock.now
        let store = try Store(path: path, access: access)
        let rows = try store.page(offset: 0)
        let duration = start.duration(to: .now)
        guard rows.count == 50 else { throw Failure("\(Store.name) opens with \(rows.count) rows") }
        try await store.close()
        return withExtendedLifetime(store) { duration }
    }
}
