import StorageEngine

/// Where a backup goes: a directory that later backups add to, or one new file.
public typealias BackupForm = StorageEngine.BackupForm

/// What a backup did, and which commits can be restored from it now.
public typealias BackupReport = StorageEngine.BackupReport

/// Commits that a backup can restore, each of them, and when they were made.
public typealias BackupReach = StorageEngine.BackupReach

/// Which commit of a backup to restore: the newest, one by its number, or the newest that was made by a moment.
public typealias RestorePoint = StorageEngine.RestorePoint

/// What a restore would take from a backup; all of it was verified.
public typealias RestorePlan = StorageEngine.RestorePlan

/// A restore: from which backup, to which commit, and when.
public typealias Restoration = StorageEngine.Restoration
