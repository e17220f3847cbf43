/// What the layer above says of a store that is being opened, when it has looked at it.
package enum Admission: Sendable {
    /// Readers may see it.
    case show
    /// Not before the log has been replayed: what the snapshot holds alone would mislead.
    case hide
    case refuse(StorageError)
}
