/// Is told which keys a replay has changed, so that those who saw the store before it can be told, too.
package protocol ReplayWitness: AnyObject, Sendable {
    /// Called for each operation, in their order, on one thread.
    func changed(_ key: RawSpan, in tree: TreeNumber)
    /// All entries of a tree went.
    func cleared(_ tree: TreeNumber)
    /// What goes with the commit that shows the replay: `PublishedCommit.note`.
    func note(from before: Version, to after: Version) -> (any Sendable)?
}
