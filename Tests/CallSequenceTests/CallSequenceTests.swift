import Testing

@testable import CallSequences

/// Every sequence of calls, with a fault at every call to the disk. `./dev torture --sequences 6` goes deeper.
@Suite struct CallSequenceTests {
    @Test func `no sequence of calls, whichever call to the disk fails in it, breaks a promise`() async {
        let (counts, findings) = await SequenceSearch.run(depth: 2)
        for line in counts.lines { print(line) }
        for finding in findings.prefix(20) { Issue.record("\(finding)") }
    }
}
