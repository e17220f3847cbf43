/// The server that knows whether the reader has paid. It answers after a while, as servers do.
struct Shop: Sendable {
    var isPremium = true
    var delay = Duration.milliseconds(20)

    func premium() async throws -> Bool {
        try await Task.sleep(for: delay)
        return isPremium
    }
}
