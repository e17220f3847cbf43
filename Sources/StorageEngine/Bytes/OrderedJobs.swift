import Dispatch

/// Work that is cut into jobs, which several threads do side by side, and whose products are taken one by one, in the order of the jobs.
protocol OrderedWork: Sendable {
    associatedtype Job: Sendable
    associatedtype Product: Sendable

    /// The jobs in their order.
    mutating func next() throws(StorageError) -> OrderedJobs.Next<Job>

    /// Called by several threads at once.
    static func product(of job: Job) throws(StorageError) -> Product

    /// Given the products in the order of their jobs.
    mutating func take(_ product: Product) throws(StorageError)
}

/// Does ordered work.
enum OrderedJobs {
    /// There are no more threads than cores; that many suffice.
    static let maximumThreadCount = 16

    enum Next<Job: Sendable>: Sendable {
        case job(Job)
        /// None yet, but when another product was taken.
        case later
        case none
    }

    /// Returns when all products are taken. Who comes far ahead of the slowest waits, so that few products are there at once.
    ///
    /// - Parameter threadCount: so many at the most, and no more than there are cores.
    /// - Throws: what is thrown for the first job in the order for which something is.
    static func run<Work: OrderedWork>(_ work: Work, threadCount: Int) throws(StorageError) -> Work {
        let run = Run(work)
        DispatchQueue.concurrentPerform(iterations: threadCount) { _ in run.join() }
        return try run.outcome
    }

    private final class Run<Work: OrderedWork>: Sendable {
        private let state: Lock<State<Work>>
        private let progress = DispatchSemaphore(value: 0)

        init(_ work: Work) { state = Lock(State(work)) }

        /// Does jobs until there are none.
        func join() {
            state.withLock { $0.threadCount += 1 }
            while true {
                let step = state.withLock { $0.step() }
                switch step {
                case .job(let number, let job):
                    let product = Result { () throws(StorageError) in try Work.product(of: job) }
                    state.withLock { $0.end(number, product) }
                    wakeAll()
                case .wait: progress.wait()
                case .end: return wakeAll()
                }
            }
        }

        private func wakeAll() {
            let count = state.withLock { state in
                defer { state.waitingCount = 0 }
                return state.waitingCount
            }
            for _ in 0..<count { progress.signal() }
        }

        /// What became of the work.
        var outcome: Work {
            get throws(StorageError) {
                let (work, failure) = state.withLock { ($0.work, $0.failure) }
                if let failure { throw failure }
                return work
            }
        }
    }

    private enum Step<Job: Sendable>: Sendable {
        case job(Int, Job)
        case wait
        case end
    }

    private struct State<Work: OrderedWork>: Sendable {
        var work: Work
        var threadCount = 0
        private var begunCount = 0
        private var takenCount = 0
        /// Of jobs that are done and whose turn has not come.
        private var products: [Int: Result<Work.Product, StorageError>] = [:]
        var waitingCount = 0
        /// Whether no job is left to begin.
        private var isAtEnd = false
        private(set) var failure: StorageError?

        init(_ work: Work) { self.work = work }

        mutating func step() -> Step<Work.Job> {
            guard !isAtEnd, failure == nil else { return .end }
            guard begunCount - takenCount < 2 * threadCount else { return wait() }
            do throws(StorageError) {
                switch try work.next() {
                case .job(let job):
                    begunCount += 1
                    return .job(begunCount - 1, job)
                case .later:
                    precondition(begunCount > takenCount, "what is waited for is being done")
                    return wait()
                case .none: isAtEnd = true
                }
            } catch {
                // In its place among the products: one before it may fail, too.
                isAtEnd = true
                begunCount += 1
                end(begunCount - 1, .failure(error))
            }
            return .end
        }

        private mutating func wait() -> Step<Work.Job> {
            waitingCount += 1
            return .wait
        }

        mutating func end(_ number: Int, _ product: Result<Work.Product, StorageError>) {
            products[number] = product
            while failure == nil, let product = products.removeValue(forKey: takenCount) {
                do throws(StorageError) { try work.take(product.get()) } catch { failure = error }
                takenCount += 1
            }
        }
    }
}
