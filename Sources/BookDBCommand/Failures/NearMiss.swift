/// Finds the word somebody meant.
enum NearMiss {
    /// The closest of the known words, when it is close: at most a third of the letters differ.
    static func closest(to word: String, among known: [String]) -> String? {
        let candidates = known.map { (word: $0, distance: distance(from: word.lowercased(), to: $0.lowercased())) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, word.count / 3) ? best.word : nil
    }

    /// How many letters to insert, delete or replace, or neighbours to swap.
    static func distance(from one: String, to other: String) -> Int {
        let one = Array(one), other = Array(other)
        var table = [Array(0...other.count)]
        for row in 1..<max(1, one.count + 1) {
            var line = [row] + Array(repeating: 0, count: other.count)
            for column in 1..<max(1, other.count + 1) {
                let isSame = one[row - 1] == other[column - 1]
                line[column] = min(
                    table[row - 1][column] + 1, line[column - 1] + 1, table[row - 1][column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, one[row - 1] == other[column - 2], one[row - 2] == other[column - 1] {
                    line[column] = min(line[column], table[row - 2][column - 2] + 1)
                }
            }
            table.append(line)
        }
        return table[one.count][other.count]
    }
}
