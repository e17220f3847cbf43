import StorageEngine

extension Database {
    /// How `close` ends.
    package func closing() async -> Result<Void, StorageError> {
        do throws(StorageError) {
            try await close()
            return .success(())
        } catch { return .failure(error) }
    }
}

extension Result<Void, StorageError> {
    package var words: String {
        switch self {
        case .success: "success"
        case .failure(let error): "\(error)"
        }
    }
}

extension StorageError {
    /// Whether the error promises that nothing of the refused call was kept, whatever happens next.
    package var saysNothingWasKept: Bool {
        switch self {
        case .diskFull, .closed, .cancelled: true
        default: false
        }
    }
}
