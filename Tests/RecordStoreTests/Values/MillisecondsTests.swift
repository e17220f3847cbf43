import Testing

@testable import RecordStore

struct MillisecondsTests {
    @Test func `a moment falls on its day, also before 1970, and none is too far to ask`() {
        #expect(Milliseconds(since1970: 0).day == Day(daysSince1970: 0))
        #expect(Milliseconds(since1970: -1).day == Day(daysSince1970: -1))
        #expect(Milliseconds(since1970: -86_400_000).day == Day(daysSince1970: -1))
        #expect(Milliseconds(since1970: 86_399_999).day == Day(daysSince1970: 0))
        // A file may hold any number.
        #expect(Milliseconds(since1970: .min).day == nil && Milliseconds(since1970: .max).day == nil)
    }
}
