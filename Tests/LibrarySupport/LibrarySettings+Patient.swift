import RecordStore
import StorageEngine

extension LibrarySettings {
    /// Of a library that waits for others as long as it takes: beside many tests, who has the lock may wait long for a thread.
    package static func patient(
        _ access: RecordLibrary.Access = .shared, _ fileSystem: any FileSystem
    ) -> LibrarySettings {
        var settings = LibrarySettings(access, fileSystem: fileSystem)
        settings.lockLimit = .seconds(36_000)
        return settings
    }
}
