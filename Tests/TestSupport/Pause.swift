/// What a loop does that waits for something else. `Task.yield` would keep a core busy, and the other tests run on it.
public func pause() async { try? await Task.sleep(for: .milliseconds(1)) }
