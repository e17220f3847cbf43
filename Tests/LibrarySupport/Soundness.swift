import RecordStore
import Testing

package func expectSound(_ snapshot: Snapshot, sourceLocation: SourceLocation = #_sourceLocation) {
    let verification = LibraryVerifier.verify(snapshot)
    for check in verification.checks {
        #expect(check.passed, "\(check.name): \(check.items)", sourceLocation: sourceLocation)
    }
}

/// What an operation throws.
package func libraryError<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async -> LibraryError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? LibraryError
    }
}
