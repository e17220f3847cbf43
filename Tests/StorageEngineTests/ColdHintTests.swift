import Testing

@testable import StorageEngine

/// When it is worth a look which pages to ask for.
struct ColdHintTests {
    @Test func `a file is taken for cached when sixteen looks found nothing, and for cold at the first that did`() {
        let hint = ColdHint(isCold: true)
        for _ in 0..<15 {
            let isLooked = hint.mayBeCold()
            #expect(isLooked)
            hint.note(isMissing: false)
        }
        hint.note(isMissing: true)
        for _ in 0..<16 {
            let isLooked = hint.mayBeCold()
            #expect(isLooked)
            hint.note(isMissing: false)
        }
        let isLooked = hint.mayBeCold()
        #expect(!isLooked)
        hint.note(isMissing: true)
        let isLookedAgain = hint.mayBeCold()
        #expect(isLookedAgain)
    }

    @Test func `one that is taken for cached is looked at now and then`() {
        let hint = ColdHint(isCold: false)
        for _ in 0..<10 {
            var skippedCount = 0
            while !hint.mayBeCold() { skippedCount += 1 }
            #expect(skippedCount == 32)
            hint.note(isMissing: false)
        }
    }
}
