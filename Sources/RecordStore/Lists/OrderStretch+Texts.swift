import Filing
import StorageEngine

/// Stretches of an order that goes on with a text.
extension OrderStretch {
    /// The records whose next component begins with a typed text, compared as the order compares texts.
    func beginning(
        with typed: String, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> OrderStretch {
        let component = try nextText("begins with a typed text")
        let start = prefix + component.bytes(beginningWith: typed, textByteCount: order.declaration.textByteCount)
        var (first, end) = (start, AppRecordKey.end(of: start))
        // In a text that is filed, what makes another letter of the last one, ñ of n, begins another text.
        if component.collation.filing != nil {
            if component.isDescending {
                first = AppRecordKey.end(of: start + [~FilingTailoring.nextLetter])
            } else {
                end = start + [FilingTailoring.nextLetter]
            }
        }
        let found = try trees.positions(of: order.tree, from: first, to: end)
        return slice(found.clamped(to: positions))
    }

    /// The stretches of one letter each, as a strip of letters beside a list shows them.
    func sections(
        in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [(label: String, stretch: OrderStretch)] {
        let component = try nextText("has sections by letters")
        guard let tailoring = component.collation.filing?.tailoring else {
            throw .schemaMismatch(
                "The order “\(order.name)” of \(kind.name) does not go on with a text that is filed, so it has no sections by letters. "
                    + "Declare it by .filed(…).")
        }
        var sections: [(label: String, stretch: OrderStretch)] = []
        // Absent ones stand together, at one end.
        var left = try trees.positions(of: order.tree, from: prefix + [1], to: prefix + [2]).clamped(to: positions)
        while !left.isEmpty {
            // From the letters that come first on, which are at the end of an order that descends.
            let first = component.isDescending ? left.upperBound - 1 : left.lowerBound
            guard let text = component.text(in: try key(at: first, in: trees), from: prefix.count) else {
                throw .damaged("The order \(order.name) of \(kind.name) has a key that is none.")
            }
            let section = FilingSection(key: text, tailoring: tailoring)
            let bound = prefix + component.bytes(ofTextFrom: section.upperBound)
            let end = try trees.position(
                of: component.isDescending ? AppRecordKey.end(of: bound) : bound, in: order.tree, facet: nil)
            let found =
                component.isDescending
                ? max(end, left.lowerBound)..<left.upperBound : left.lowerBound..<min(end, left.upperBound)
            guard !found.isEmpty else { throw .damaged("The order \(order.name) of \(kind.name) is not in order.") }
            sections.append((section.label, slice(found)))
            left = component.isDescending ? left.lowerBound..<found.lowerBound : found.upperBound..<left.upperBound
        }
        return component.isDescending ? sections.reversed() : sections
    }

    private func nextText(_ words: String) throws(LibraryError) -> OrderDeclaration.Component {
        let component = try nextComponent()
        guard component.kind == .text else {
            throw .invalidArgument(
                "The order “\(order.name)” of \(kind.name) does not go on with a text, so nothing of it \(words).")
        }
        return component
    }
}
