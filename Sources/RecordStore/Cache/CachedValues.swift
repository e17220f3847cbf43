import StorageEngine

/// What an app makes of blobs, such as images: each is made once, decoded once, and kept in memory as long as there is room.
///
/// ```swift
/// let thumbnails = CachedValues(
///     in: store.cache, for: .days(30), memoryByteLimit: 32 << 20,
///     byteCount: { $0.byteCount }, decode: { try Thumbnail(decoding: $0) })
/// let thumbnail = try await thumbnails.value(for: "cover of \(hobbit), 200 points") {
///     try await downscaledCover(of: hobbit, width: 200)
/// }
/// ```
///
/// A value is looked for in memory, then in the cache, and then made. Requests for one key that come together share that work. One that is
/// cancelled leaves it to those who still wait; when the last has gone, the making is cancelled.
///
/// Reading, making and decoding run off the caller's actor, and may run for several keys at once. Memory holds values for their lifetime, and those that were used
/// last when there is no room for all. A restore of the library forgets all, in memory as in the cache: identifiers of the restored one may be others.
public final class CachedValues<Value: Sendable>: Sendable {
    /// Texts that Swift calls equal are two keys when their bytes differ.
    private struct Key: Hashable, Sendable {
        let text: String

        static func == (left: Key, right: Key) -> Bool { left.text.hasSameBytes(as: right.text) }
    }

    private typealias Waiter = CheckedContinuation<Value, any Error>

    private struct Kept: Sendable {
        let value: Value
        /// Milliseconds since 1970.
        let validity: Range<UInt64>
    }

    private struct Failure: Sendable {
        let error: any Error
        /// Milliseconds since 1970.
        let validity: Range<UInt64>
    }

    /// The work for one key.
    private struct Flight {
        let making: Task<Void, Never>
        /// Never empty.
        var waiters: [UInt64: Waiter] = [:]
    }

    private struct State {
        /// What is known of keys is of this store; `nil` as long as that is not known.
        private(set) var store: [UInt8]?
        var values = UseTable<Key, Kept>()
        var failures = UseTable<Key, Failure>()
        /// By number.
        var flights: [UInt64: Flight] = [:]
        /// The flight that new requests for a key join.
        var flightOfKey: [Key: UInt64] = [:]
        /// How many flights are writing to the cache under a key. What stands there may be gone at once, so nobody reads it.
        var writerCounts: [Key: Int] = [:]
        /// Of each waiter, by the numbers of both.
        var flightOfWaiter: [UInt64: UInt64] = [:]
        /// Of waiters, flights and uses.
        private var lastNumber: UInt64 = 0

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        /// Another store has been restored in the place of the one before, so a key may stand for something else: as if each was removed.
        mutating func come(to newStore: [UInt8]?) {
            guard let newStore, newStore != store else { return }
            if store != nil { (values, failures, flightOfKey) = (UseTable(), UseTable(), [:]) }
            store = newStore
        }

        mutating func value(for key: Key, at time: UInt64) -> Value? {
            guard let kept = values.use(key, at: nextNumber()) else { return nil }
            guard kept.validity.contains(time) else {
                values.remove(key)
                return nil
            }
            return kept.value
        }
    }

    /// Sizes are an app's word. No machine has so much, and what caches hold together can be added up.
    private static var largestByteLimit: Int { .max >> 16 }

    /// Failures that are remembered are few, and take next to no room.
    private static var failureLimit: Int { 1024 }

    private let cache: BlobCache
    private let lifetime: CacheLifetime
    private let failureLifetime: CacheLifetime
    private let memoryByteLimit: Int
    private let byteCount: @Sendable (Value) -> Int
    private let decode: @Sendable ([UInt8]) throws -> Value
    private let state = Lock(State())

    /// - Parameters:
    ///   - lifetime: of what is made, in memory and in the cache.
    ///   - failureLifetime: for so long after a making has failed, requests for its key throw the same error, and nothing is tried.
    ///   - memoryByteLimit: of all values that are held together.
    ///   - byteCount: what a value takes in memory. One that takes more than the limit is not held.
    ///   - decode: makes a value of what was made or cached. Bytes from the cache of which it makes none are made again.
    public init(
        in cache: BlobCache, for lifetime: CacheLifetime, failuresFor failureLifetime: CacheLifetime = .none,
        memoryByteLimit: Int, byteCount: @escaping @Sendable (Value) -> Int,
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        self.cache = cache
        self.lifetime = lifetime
        self.failureLifetime = failureLifetime
        self.memoryByteLimit = min(max(0, memoryByteLimit), Self.largestByteLimit)
        self.byteCount = byteCount
        self.decode = decode
        cache.add(self)
    }

    /// The value of a key, made when it is neither in memory nor in the cache.
    ///
    /// - Parameters:
    ///   - key: as of `BlobCache.set`. One that does not fit there, and bytes that do not, are made and not cached.
    ///   - make: is not run when the value is there, nor while another request makes it.
    /// - Throws: `CancellationError` when the task is cancelled; what `make` or `decode` throws, to all who wait for the key.
    public func value(
        for key: String, make: @escaping @Sendable () async throws -> [UInt8]
    ) async throws -> Value {
        if let value = valueInMemory(for: key) { return value }
        let key = Key(text: key)
        let waiter = state.withLock { $0.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, numbered: waiter, for: key, make) }
        } onCancel: {
            leave(waiter, key)
        }
    }

    /// The value of a key when it is in memory: a look-up, for showing a row that was just scrolled away without a moment's emptiness.
    public func valueInMemory(for key: String) -> Value? {
        let (time, store) = (cache.now(), cache.store)
        return state.withLock { state in
            state.come(to: store)
            return state.value(for: Key(text: key), at: time)
        }
    }

    /// Forgets what is known under a key, in memory and in the cache: the next request makes it. Those who wait for it now get what is being made, and that is not kept.
    ///
    /// Of a library that is open for reading only the cache keeps its blob, and the next request is given that, until its time is over.
    public func remove(_ key: String) {
        // Before the blob goes, so that who writes one behind that is not current and takes it away; and after, so that
        // who has read it before is not current when it keeps what it has read.
        forget(Key(text: key))
        cache.remove(key)
        forget(Key(text: key))
    }

    private func forget(_ key: Key) {
        state.withLock { state in
            state.values.remove(key)
            state.failures.remove(key)
            state.flightOfKey[key] = nil
        }
    }

    /// What the values in memory take.
    public var memoryByteCount: Int { state.withLock { $0.values.byteCount } }

    /// Requests that wait now.
    package var waitingCount: Int { state.withLock { $0.flightOfWaiter.count } }
}

extension CachedValues: MemoryReleasing {
    /// Lets go of the values in memory. Costs nothing else: they are read from the cache and decoded when they are asked for again.
    public func releaseMemory() { state.withLock { $0.values = UseTable() } }
}

// MARK: - Flights

extension CachedValues {
    private func wait(
        _ waiter: Waiter, numbered number: UInt64, for key: Key,
        _ make: @escaping @Sendable () async throws -> [UInt8]
    ) {
        let (time, store) = (cache.now(), cache.store)
        let outcome: Result<Value, any Error>? = state.withLock { state in
            state.come(to: store)
            // A task that is cancelled from here on finds the waiter.
            if Task.isCancelled { return .failure(CancellationError()) }
            if let value = state.value(for: key, at: time) { return .success(value) }
            if let failure = state.failures[key], failure.validity.contains(time) { return .failure(failure.error) }
            let flight = state.flightOfKey[key] ?? begin(key, make, in: &state)
            state.flights[flight]?.waiters[number] = waiter
            state.flightOfWaiter[number] = flight
            return nil
        }
        if let outcome { waiter.resume(with: outcome) }
    }

    private func begin(
        _ key: Key, _ make: @escaping @Sendable () async throws -> [UInt8], in state: inout State
    ) -> UInt64 {
        let number = state.nextNumber()
        let readsCache = state.writerCounts[key] == nil
        state.flights[number] = Flight(
            making: Task { [self] in
                do {
                    let (value, validity) = try await find(key, number, readsCache: readsCache, make)
                    finish(number, key, .success(value), validity)
                } catch {
                    finish(number, key, .failure(error), failureLifetime.range(from: cache.now()))
                }
            })
        state.flightOfKey[key] = number
        return number
    }

    private func leave(_ waiter: UInt64, _ key: Key) {
        let (continuation, making) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let number = state.flightOfWaiter.removeValue(forKey: waiter),
                let continuation = state.flights[number]?.waiters.removeValue(forKey: waiter)
            else { return (nil, nil) }
            guard state.flights[number]?.waiters.isEmpty == true else { return (continuation, nil) }
            if state.flightOfKey[key] == number { state.flightOfKey[key] = nil }
            return (continuation, state.flights.removeValue(forKey: number)?.making)
        }
        continuation?.resume(throwing: CancellationError())
        making?.cancel()
    }

    /// The value from the cache, or a new one.
    private func find(
        _ key: Key, _ flight: UInt64, readsCache: Bool, _ make: @Sendable () async throws -> [UInt8]
    ) async throws -> (Value, Range<UInt64>) {
        if readsCache, let cached = cache.blob(for: key.text) {
            if let value = try? decode(cached.bytes) { return (value, cached.validity) }
            // One that was cancelled says nothing of the bytes.
            try Task.checkCancellation()
            cache.remove(key.text)
        }
        let bytes = try await make()
        let value = try decode(bytes)
        cache(bytes, under: key, flight)
        return (value, lifetime.range(from: cache.now()))
    }

    /// Not what was made for nobody: one that all have left, or whose key was removed, may be overtaken by the next. Nor what was made for a store that
    /// another has replaced, were it only while this is written.
    private func cache(_ bytes: [UInt8], under key: Key, _ flight: UInt64) {
        let current = cache.store
        let (isCurrent, store) = state.withLock { state -> (Bool, [UInt8]?) in
            state.come(to: current)
            guard state.flightOfKey[key] == flight else { return (false, nil) }
            state.writerCounts[key, default: 0] += 1
            return (true, state.store)
        }
        guard isCurrent else { return }
        cache.set(key.text, bytes, for: lifetime, of: store)
        if state.withLock({ $0.flightOfKey[key] != flight }) { cache.remove(key.text) }
        state.withLock { state in
            let rest = (state.writerCounts[key] ?? 1) - 1
            state.writerCounts[key] = rest == 0 ? nil : rest
        }
    }

    private func finish(
        _ number: UInt64, _ key: Key, _ outcome: Result<Value, any Error>, _ validity: Range<UInt64>
    ) {
        let byteCount = (try? outcome.get()).map(byteCount) ?? 0
        let store = cache.store
        let waiters = state.withLock { state -> [Waiter] in
            state.come(to: store)
            if state.flightOfKey[key] == number {
                state.flightOfKey[key] = nil
                keep(outcome, key, validity, byteCount: max(0, byteCount), in: &state)
            }
            guard let flight = state.flights.removeValue(forKey: number) else { return [] }
            for waiter in flight.waiters.keys { state.flightOfWaiter[waiter] = nil }
            return Array(flight.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: outcome) }
    }

    private func keep(
        _ outcome: Result<Value, any Error>, _ key: Key, _ validity: Range<UInt64>, byteCount: Int,
        in state: inout State
    ) {
        let used = state.nextNumber()
        switch outcome {
        case .success(let value):
            state.failures.remove(key)
            guard byteCount <= memoryByteLimit else { return }
            if state.values.byteCount + byteCount > memoryByteLimit {
                // An eighth more than is needed, so that not every value sorts all the others.
                _ = state.values.shrink(to: max(0, memoryByteLimit - memoryByteLimit / 8 - byteCount))
            }
            state.values.set(key, Kept(value: value, validity: validity), byteCount: byteCount, used: used)
        case .failure(let error):
            guard !validity.isEmpty, !(error is CancellationError) else { return }
            let failure = Failure(error: error, validity: validity)
            state.failures.set(key, failure, byteCount: 1, used: used)
            if state.failures.byteCount > Self.failureLimit { _ = state.failures.shrink(to: Self.failureLimit / 2) }
        }
    }
}
