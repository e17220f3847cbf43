import Dispatch
import Synchronization

/// Results in order of what was worked on by all cores.
package func concurrently<Element: Sendable, Result: Sendable>(
    _ elements: [Element], _ body: @Sendable (Element) -> Result
) -> [Result] {
    let results = Mutex([Result?](repeating: nil, count: elements.count))
    DispatchQueue.concurrentPerform(iterations: elements.count) { index in
        let result = body(elements[index])
        results.withLock { $0[index] = result }
    }
    return results.withLock { $0.compactMap { $0 } }
}

/// Runs `body` on a thread that is none of the cooperative pool's, as a scheduler needs it, and nobody is kept waiting there.
package func beside<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
}
