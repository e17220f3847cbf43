/// What a run classified, and what was said.
public struct RotCounts: Sendable {
    /// Mutations by shape, then by class.
    public private(set) var byShape: [String: [String: Int]] = [:]
    /// Mutations by kind of mutation, then by class.
    public private(set) var byMutation: [String: [String: Int]] = [:]
    /// Mutations that left every byte as it was.
    public private(set) var unchanged = 0
    /// Every wording of a finding, with `#` for numbers and checksums, and one example.
    public private(set) var wordings: [String: String] = [:]

    public init() {}

    public var total: Int { byShape.values.reduce(0) { $0 + $1.values.reduce(0, +) } }

    public func count(_ kind: String) -> Int { byShape.values.reduce(0) { $0 + ($1[kind] ?? 0) } }

    mutating func noteUnchanged() { unchanged += 1 }

    mutating func note(_ kind: RotExpectation.Kind, _ shape: String, _ mutation: Mutation) {
        byShape[shape, default: [:]][kind.rawValue, default: 0] += 1
        byMutation[mutation.kind, default: [:]][kind.rawValue, default: 0] += 1
    }

    mutating func note(wording: String, _ example: String) {
        let pattern = Self.pattern(of: wording)
        if wordings[pattern] == nil { wordings[pattern] = example }
    }

    /// The sentence with `#` in place of numbers, checksums and names.
    public static func pattern(of sentence: String) -> String {
        let words = sentence.split(separator: " ", omittingEmptySubsequences: false).map { word -> String in
            let core = word.trimmed { !$0.isLetter && !$0.isNumber }
            let isNumber = core.contains(where: \.isNumber) || (core.count == 8 && core.allSatisfy(\.isHexDigit))
            return isNumber ? word.replacing(core, with: "#") : String(word)
        }
        return words.joined(separator: " ")
    }

    public mutating func add(_ other: RotCounts) {
        unchanged += other.unchanged
        wordings.merge(other.wordings) { first, _ in first }
        for (shape, kinds) in other.byShape { byShape[shape, default: [:]].merge(kinds, uniquingKeysWith: +) }
        for (kind, kinds) in other.byMutation { byMutation[kind, default: [:]].merge(kinds, uniquingKeysWith: +) }
    }
}

extension Substring {
    /// Without what `isEdge` holds for at both ends.
    fileprivate func trimmed(_ isEdge: (Character) -> Bool) -> Substring {
        guard let first = firstIndex(where: { !isEdge($0) }), let last = lastIndex(where: { !isEdge($0) }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }

    fileprivate func replacing(_ part: Substring, with other: String) -> String {
        self[..<part.startIndex] + other + self[part.endIndex...]
    }
}
