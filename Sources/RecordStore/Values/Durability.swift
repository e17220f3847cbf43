import StorageEngine

/// What a write waits for before it returns.
///
/// - `flushed`: the commit is on the medium and survives a power cut. One device flush, shared with the commits that
///   arrive meanwhile.
/// - `ordered`: the commit is in the operating system's hands; it survives the process and may not survive a power cut,
///   but never goes missing from among others.
/// - `memory`: the commit is visible and is written behind; a process that dies may lose the newest of these.
public typealias Durability = StorageEngine.Durability

/// What a compaction did: bytes before and after, and how long it took.
public typealias CompactionReport = StorageEngine.CompactionReport

/// What opening a library found and did, with its times.
public typealias OpeningReport = StorageEngine.OpeningReport

/// Bytes of a library's files that are not what was written: the file, the place in it, and what was found there.
public typealias Damage = StorageEngine.Damage

/// Who may read and write a library that begins: its owner alone, or the group of its directory too.
public typealias Sharing = StorageEngine.Sharing
