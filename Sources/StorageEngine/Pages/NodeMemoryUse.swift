/// What the nodes of a heap take, in bytes, by what they are for.
struct NodeMemoryUse: Equatable, Sendable {
    /// Nodes that the newest commit reaches.
    var current = 0
    /// Nodes that later commits have replaced, and that versions need which somebody holds or the writer has not let go yet.
    var replaced = 0
    /// What was freed and is kept for nodes to come.
    var free = 0

    var byteCount: Int { current + replaced + free }
}
