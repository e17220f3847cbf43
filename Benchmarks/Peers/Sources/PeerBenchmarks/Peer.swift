/// A store that answers what a list of books asks.
///
/// All answers are typed rows with strings of their own, in title order; what is durable is flushed to the device.
protocol Peer {
    static var name: String { get }

    /// Opens what `fill` left at the path.
    init(path: String) throws

    /// Makes the store: everything in it is durable when this returns.
    static func fill(path: String, with books: [Book]) throws

    func page(offset: Int) throws -> [ListRow]

    /// The fifty rows behind one.
    func page(after row: (place: Int64, id: Int64)) throws -> [ListRow]
    func page(status: Int, offset: Int) throws -> [ListRow]
    func statusCounts() throws -> [Int]

    /// The first fifty rows whose text holds the needle, which is lower-case.
    func search(_ needle: String) throws -> [ListRow]
    func searchCount(_ needle: String) throws -> Int

    /// Makes the books durable, one commit for all.
    func insert(_ books: [Book]) throws
    func rename(_ id: Int64, to title: String, place: Int64) throws
}
