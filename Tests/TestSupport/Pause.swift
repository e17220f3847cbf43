/// What a loop does that waits for something else. `Task.yield` would keep a core busy, and the other tests run on it.
public func pause() async { try? await Task.sleep(for: .milliseconds(1)) }

/// Returns when it is so, or after some ten minutes: what is claimed next fails then and says why, where a hang would not.
public func pause(isolation: isolated (any Actor)? = #isolation, until isSo: () throws -> Bool) async rethrows {
    for _ in 0..<500_000 where try !isSo() { await pause() }
}
