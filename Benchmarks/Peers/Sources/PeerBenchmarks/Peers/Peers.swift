/// Every store, in the order of the table. BookDB is first: the others are compared with it.
enum Peers {
    static let all: [any Peer.Type] = [
        BookDBPeer.self, GRDBPeer.self, SQLitePeer.self, LMDBPeer.self, RocksDBPeer.self,
    ]

    static func named(_ key: String) throws -> any Peer.Type {
        guard let peer = all.first(where: { $0.key == key }) else {
            throw Failure("There is no store “\(key)”. → one of \(all.map { $0.key }.joined(separator: ", "))")
        }
        return peer
    }
}
