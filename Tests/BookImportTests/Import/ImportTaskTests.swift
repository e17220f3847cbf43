import BookDB
import BookImport
import Foundation
import Testing

/// An import with progress and a way to cancel it, as an app writes it: the seventh task of `AppTasksTests`.
@MainActor struct ImportTaskTests {
    @MainActor private final class Bar {
        var value = 0.0
    }

    @MainActor private final class Button {
        var action: @Sendable () -> Void = {}
    }

    private let directory = FileManager.default.temporaryDirectory

    @Test func `a file is imported in the background, watched and may be cancelled`() async throws {
        let file = directory.appending(path: "bookdb-test-\(UUID()).csv").path
        try Data("title,author\nMomo,Michael Ende\nEmma,Jane Austen\n".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let (store, bar, cancelButton) = (BookStore(.memory), Bar(), Button())
        // begin 7: import, with progress and cancel (4)
        let job = store.import(ImportSource(path: file))
        cancelButton.action = job.cancel
        for await progress in job.progress { bar.value = progress.fraction ?? 0 }
        let result = try await job.result
        // end
        #expect(result.added == 2 && bar.value == 1)
        #expect(try store.snapshot.works.count == 2)
        cancelButton.action()
    }
}
