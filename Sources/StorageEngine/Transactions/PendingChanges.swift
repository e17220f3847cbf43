/// Changes of some trees that whoever writes has not put together yet, since more may come to them: made when one of these trees is asked for
/// anything, or with the commit. Whoever has some has changed something else in the transaction already.
package protocol PendingChanges: AnyObject {
    /// Whether there is anything to be changed in a tree.
    func concern(_ tree: TreeNumber) -> Bool

    /// Leaves all changes with the transaction, by `putLater` and `removeLater`. None are pending then, whether it throws or not.
    func make(in transaction: TransactionReader) throws(StorageError)
}
