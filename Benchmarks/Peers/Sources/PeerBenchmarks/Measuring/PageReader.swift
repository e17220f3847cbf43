import Foundation

/// A thread that asks for a page of rows twice a millisecond, as something that scrolls does, and takes the time of each.
final class PageReader: @unchecked Sendable {
    private let lock = NSLock()
    private var timing = Timing()
    private var failure: (any Error)?
    private var isAskedToStop = false
    private let isDone = DispatchSemaphore(value: 0)

    init(_ peer: some Peer, _ anchors: [Anchor]) {
        Thread.detachNewThread { [self] in
            var number = 0
            while lock.withLock({ !isAskedToStop && failure == nil }) {
                let anchor = anchors[number * 7919 % anchors.count]
                number += 1
                do {
                    let start = ContinuousClock.now
                    blackHole(try peer.page(after: anchor))
                    let duration = start.duration(to: .now)
                    lock.withLock { timing.add(duration) }
                } catch {
                    lock.withLock { failure = error }
                }
                usleep(500)
            }
            isDone.signal()
        }
    }

    /// Nanoseconds of every page.
    func stop() throws -> [Int] {
        lock.withLock { isAskedToStop = true }
        isDone.wait()
        if let failure { throw failure }
        return timing.samples
    }
}
