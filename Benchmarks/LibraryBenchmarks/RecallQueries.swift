import Foundation
import TestSupport

/// Texts as people type them, made of real titles with the mistakes people make, and the title each of them means.
///
/// The same on every machine: a fixed seed decides. Half of the titles are for making the search better, the other half for
/// telling how good it is; no mistake is made twice in the same way.
struct RecallQueries {
    struct Query {
        let typed: String
        /// As it was to be typed.
        let title: String
    }

    enum Kind: String, CaseIterable {
        case asPrinted = "as it is printed"
        case begun = "its first half"
        case noAccents = "without its accents"
        case oneTypo = "one letter wrong, anywhere"
        case twoTypos = "a letter wrong in each of two words"
        case shortWord = "a letter wrong in a word of one or two"
        case firstLetter = "its longest word alone, the first letter wrong"
        case twoJoined = "two words run together"
        case manyJoined = "three words or more run together"
        case splitWord = "a blank within a word"
        case withAuthor = "two words and the author's last name, with a letter wrong"
        case strayWord = "two words or more, and one that is not there"
    }

    /// Of the works whose titles are not for making the search better.
    let isHeldOut: Bool

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz")

    /// - Parameter count: at most so many; fewer where few titles can be mistyped so.
    func make(_ kind: Kind, of works: [(title: String, authors: String)], count: Int) -> [Query] {
        let number = Kind.allCases.firstIndex(of: kind)!
        var random = SeededGenerator(seed: UInt64(isHeldOut ? 1000 : 2000) + UInt64(number))
        // Each title at most once; every kind has its own order.
        var candidates: [(title: String, authors: String)] = []
        for (index, work) in works.enumerated() where (index % 2 == 1) == isHeldOut { candidates.append(work) }
        candidates.shuffle(using: &random)
        var queries: [Query] = []
        for work in candidates where queries.count < count {
            guard let typed = Self.typed(kind, work.title, work.authors, &random),
                kind == .asPrinted || typed.lowercased() != work.title.lowercased()
            else { continue }
            queries.append(Query(typed: typed, title: work.title))
        }
        return queries
    }

    private static func typed(
        _ kind: Kind, _ title: String, _ authors: String, _ random: inout SeededGenerator
    ) -> String? {
        var words = title.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "’" }.map(String.init)
        let isPlain = words.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value < 0x250 } }
        guard !words.isEmpty, isPlain || kind == .asPrinted else { return nil }
        /// The words that have so many letters and no digit.
        func places(_ counts: ClosedRange<Int>) -> [Int] {
            words.indices.filter { counts.contains(words[$0].count) && !words[$0].contains(where: \.isNumber) }
        }
        switch kind {
        case .asPrinted: return title
        case .begun:
            guard title.count >= 8 else { return nil }
            return String(title.prefix((title.count + 1) / 2))
        case .noAccents:
            let plain = String(String.UnicodeScalarView(title.decomposed.filter { !$0.properties.isDiacritic }))
            return plain.unicodeScalars.count < title.decomposed.count ? plain : nil
        case .oneTypo:
            guard let word = random.pick(places(1...30)), title.count >= 4 else { return nil }
            words[word] = mistyped(words[word], &random)
        case .twoTypos:
            var choice = places(3...30)
            guard choice.count >= 2 else { return nil }
            choice.shuffle(using: &random)
            for word in choice.prefix(2) { words[word] = mistyped(words[word], &random) }
        case .shortWord:
            guard words.count >= 3, let word = random.pick(places(1...2)) else { return nil }
            words[word] = mistyped(words[word], &random)
        case .firstLetter:
            guard let longest = words.max(by: { $0.count < $1.count }), longest.count >= 5 else { return nil }
            return replaced(longest, at: 0, &random)
        case .twoJoined:
            guard words.count == 2 else { return nil }
            return words.joined()
        case .manyJoined:
            guard (3...6).contains(words.count) else { return nil }
            return words.joined()
        case .splitWord:
            guard let word = random.pick(places(5...30)) else { return nil }
            let place = words[word].index(
                words[word].startIndex, offsetBy: Int.random(in: 2..<words[word].count - 1, using: &random))
            words[word].insert(" ", at: place)
        case .withAuthor:
            let last = authors.split(separator: ",").first?.split(separator: " ").last.map { String($0).lowercased() }
            let long = places(4...30)
            guard let last, last.count >= 4, last.unicodeScalars.allSatisfy({ $0.value < 0x250 }), long.count >= 2
            else {
                return nil
            }
            return words[long[0]] + " " + words[long[1]] + " " + mistyped(last, &random)
        case .strayWord:
            guard places(3...30).count >= 2, words.count <= 5 else { return nil }
            let stray = (0..<6).map { _ in String(random.pick(letters)!) }.joined()
            words.insert(stray, at: Int.random(in: 0...words.count, using: &random))
        }
        return words.joined(separator: " ")
    }

    /// A letter left out, put in, exchanged, or swapped with the next.
    private static func mistyped(_ word: String, _ random: inout SeededGenerator) -> String {
        var symbols = Array(word)
        let place = Int.random(in: 0..<symbols.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where symbols.count > 1: symbols.remove(at: place)
        case 1: symbols.insert(random.pick(letters)!, at: place)
        case 2 where place + 1 < symbols.count && symbols[place] != symbols[place + 1]:
            symbols.swapAt(place, place + 1)
        default: return replaced(word, at: place, &random)
        }
        return String(symbols)
    }

    private static func replaced(_ word: String, at place: Int, _ random: inout SeededGenerator) -> String {
        var symbols = Array(word)
        let old = symbols[place]
        symbols[place] = random.pick(letters.filter { $0 != old })!
        return String(symbols)
    }
}

extension String {
    /// Its scalars, letters and their marks apart.
    fileprivate var decomposed: [Unicode.Scalar] { Array(decomposedStringWithCanonicalMapping.unicodeScalars) }
}
