/// What a commit did is taken back from the records that others name to those that name them, and deleted the other way round.
package enum UndoStage: Sendable {
    /// Nothing is changed: only what stands against it is looked for.
    case check

    /// What was deleted comes back, and what was changed is changed back.
    case putBack

    /// What was inserted goes. Declared records are as they were by now.
    case takeAway
}
