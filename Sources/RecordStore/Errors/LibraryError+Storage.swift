import StorageEngine

extension LibraryError {
    /// What the engine could not do, in the library's words.
    @usableFromInline package init(_ error: StorageError) {
        self =
            switch error {
            case .notAStore(let path, let reason): .notALibrary(path: path, reason: reason)
            case .newerFormat(let path, let found, let supported):
                .tooNew(path: path, found: found, supported: supported)
            case .unknownFeatures(let path, let bits, let canBeRead):
                .unknownFeatures(path: path, bits: bits, canBeRead: canBeRead)
            case .inUse(let path, let processIdentifier): .inUse(path: path, processIdentifier: processIdentifier)
            case .damaged(let damage): .damaged(damage.description)
            case .diskFull(let path): .diskFull(path: path)
            case .readOnly(let path): .readOnly(path: path)
            case .notPermitted(let path): .notPermitted(path: path)
            case .notFound(let path): .notFound(path: path)
            case .opening(let path): .opening(path: path)
            case .outdated(let path): .outdated(path: path)
            case .unavailable(let sentence): .invalidArgument(sentence)
            case .missingParent(let path, let parent): .missingParent(path: path, parent: parent)
            case .notARegularFile(let path, let found): .notARegularFile(path: path, found: found)
            case .displaced(let path): .displaced(path: path)
            case .inputOutput(let operation, let path, let code):
                .inputOutput("\(operation) failed on \(path): \(StorageError.words(forCode: code)).")
            case .limitExceeded(let sentence): .tooLarge(sentence)
            case .duplicateKey: .duplicate("\(error)")
            case .schemaMismatch(let sentence): .inputOutput(sentence)
            case .closed(let path): .closed(path: path)
            case .poisoned(let path, let reason): .refusingWrites(path: path, reason: reason)
            case .unsaved(let path, let commits, let reason):
                .unsaved(path: path, commitCount: Int(commits.upperBound - commits.lowerBound) + 1, reason: reason)
            case .suspended(let path): .suspended(path: path)
            case .cancelled: .cancelled
            case .exists(let path): .exists(path: path)
            case .tooLittleSpace(let path, let needed, let free):
                .tooLittleSpace(path: path, needed: needed, free: free)
            case .backupRefused(let path, let reason, let next):
                .backupRefused(path: path, reason: reason, next: next)
            }
    }

    /// What a call threw that was given no closure to throw errors of its own.
    @usableFromInline package init(caught error: any Error) {
        self =
            switch error {
            case let error as LibraryError: error
            case let error as StorageError: LibraryError(error)
            case is CancellationError: .cancelled
            default: .inputOutput("\(error)")
            }
    }

    /// Errors of a caller's closure pass as they are; those of the engine become the library's.
    package static func translated(_ error: any Error) -> any Error {
        (error as? StorageError).map { LibraryError($0) } ?? error
    }
}

/// What the engine is asked for, its errors in the library's words.
@inlinable @inline(__always)
@discardableResult
package func translatingErrors<Value>(_ body: () throws -> Value) throws(LibraryError) -> Value {
    do {
        return try body()
    } catch {
        throw LibraryError(caught: error)
    }
}

/// The same of what takes its time.
@discardableResult
package func translatingErrors<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws(LibraryError) -> Value {
    do {
        return try await body()
    } catch {
        throw LibraryError(caught: error)
    }
}
