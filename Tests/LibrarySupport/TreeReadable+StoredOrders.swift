import StorageEngine

@testable import RecordStore

extension TreeReadable where Self: ~Copyable {
    /// An order of a kind that has one definition.
    package func storedOrder(named name: String, of kind: String) throws -> StoredOrder? {
        try storedOrders(of: Array(kind.utf8)).first { $0.name == name }
    }

    /// Where that lies in the tree of orders.
    package func orderKey(named name: String, of kind: String) throws -> [UInt8]? {
        try storedOrder(named: name, of: kind)?.key(Array(kind.utf8))
    }
}
