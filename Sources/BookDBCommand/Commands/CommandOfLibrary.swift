/// A command that is about one library that is there.
protocol CommandOfLibrary {
    var library: String { get }
}

extension BackupCommand: CommandOfLibrary {}
extension CompactCommand: CommandOfLibrary {}
extension DumpCommand: CommandOfLibrary {}
extension GetCommand: CommandOfLibrary {}
extension ImportCommand: CommandOfLibrary {}
extension InspectCommand: CommandOfLibrary {}
extension LogCommand: CommandOfLibrary {}
extension LsCommand: CommandOfLibrary {}
extension SearchCommand: CommandOfLibrary {}
extension SeedCommand: CommandOfLibrary {}
