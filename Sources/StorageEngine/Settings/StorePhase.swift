/// A piece of the engine's work that takes its time, for who shows where time goes; see `Options.onPhase`.
package enum StorePhase: String, Sendable, CaseIterable {
    /// The newest snapshot that can be read is found and mapped.
    case map
    /// What was mapped is compared with what the opening declares, and given to readers while the log is read.
    case check
    /// The log is read and applied.
    case replay
    /// A transaction runs and is complete in memory. `write` and `flush` follow, for all that wait together.
    case seal
    case write
    case flush
    case compaction
    case load
    case backup
}
