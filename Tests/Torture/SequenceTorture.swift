import CallSequences

/// Sequences of calls: `./dev torture --sequences --depth N`.
enum SequenceTorture {
    /// Prints the shortest sequence of each kind of finding, and how many are like it. `false` when there are any.
    static func run(depth: Int, seconds: Int?, replay: String?) async -> Bool {
        if let replay {
            let finding = await SequenceSearch.replay(replay) { print($0) }
            print(finding.map { "VIOLATION: \(replay)\n    \($0)" } ?? "Nothing was found.")
            return finding == nil
        }
        let (counts, findings) = await SequenceSearch.run(depth: depth, seconds: seconds) { print($0) }
        for (finding, count) in findings.kinds(by: \.text) {
            print("VIOLATION (\(count) like it), again with --replay '\(finding.sequence)':\n    \(finding.text)")
        }
        for line in counts.lines { print(line) }
        print("\(findings.count) violations")
        return findings.isEmpty
    }
}

extension Array {
    /// The first of each kind, with how many there are. Of a kind are those whose texts differ in numbers only.
    func kinds(by text: (Element) -> String) -> [(first: Element, count: Int)] {
        var places: [String: Int] = [:]
        var kinds: [(first: Element, count: Int)] = []
        for element in self {
            let kind = text(element).filter { !$0.isNumber }
            if let place = places[kind] {
                kinds[place].count += 1
            } else {
                places[kind] = kinds.count
                kinds.append((element, 1))
            }
        }
        return kinds
    }
}
