import Testing

@testable import StorageEngine

/// Where a lone commit is written: on the thread that made it, or, where that would be held up, on the log's own.
struct FlushPaceTests {
    @Test func `a device is quick when one of its last two flushes was, whatever is written without one`() {
        var pace = FlushPace()
        #expect(!pace.isQuick(for: .flushed), "nothing is known of it")
        pace.note(.microseconds(80), of: .flushed)
        #expect(pace.isQuick(for: .flushed) && !pace.isQuick(for: .memory))
        pace.note(.milliseconds(20), of: .flushed)
        #expect(pace.isQuick(for: .flushed), "one that was held up once")
        pace.note(.milliseconds(20), of: .flushed)
        #expect(!pace.isQuick(for: .flushed))
        for durability in [Durability.memory, .ordered] { pace.note(.microseconds(30), of: durability) }
        #expect(!pace.isQuick(for: .flushed) && pace.isQuick(for: .memory) && pace.isQuick(for: .ordered))
    }
}
