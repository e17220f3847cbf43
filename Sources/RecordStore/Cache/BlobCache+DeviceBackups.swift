#if canImport(Darwin)
    import Foundation

    extension BlobCache {
        /// Blobs can be had again, so a backup of the whole device needs none of them. Their directory lies beside the library, which it needs.
        func leaveOutOfDeviceBackups() {
            var url = URL(filePath: files.directory, directoryHint: .isDirectory)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            // Before the first blob there is no directory.
            try? url.setResourceValues(values)
        }
    }
#endif
