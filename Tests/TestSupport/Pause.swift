/// A turn for what a test waits for. (`Task.yield` in a loop keeps a core busy, of two, for as long as the other tests last.)
public func pause() async { try? await Task.sleep(for: .milliseconds(1)) }
