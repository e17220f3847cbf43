/// An attachment of the layer above that knows something about the store: what it knows must not be taken for true of another store.
package protocol StoreAttachment: AnyObject, Sendable {
    /// One that knows nothing of a store yet, for the store that takes the place of the one that was open.
    func forAnotherStore() -> any StoreAttachment
}
