/// Walks the elements of a list, whose absent ones are told by their indices.
struct TaggedList {
    private var walk: TaggedWalk?
    private var ahead: TaggedPlace?
    /// Ascending, the next one last.
    private var absent: [Int] = []
    private(set) var index = 0

    /// - Throws: `RecordProblem` when any of it is no list, so that walking it cannot fail.
    init(_ input: TaggedInput) throws(RecordProblem) {
        let range: Range<Int>
        switch input.place {
        case .missing: return
        case .bytes(let bytes): range = bytes
        case .number: throw RecordProblem("a field is a number where a list is expected")
        }
        var count = 0
        var check = TaggedWalk(input.bytes, range)
        while let (tag, place) = try check.next() {
            if tag == FieldNumber.absentTag, case .number(let number) = place {
                guard let index = Int(exactly: number), index > absent.last ?? -1 else {
                    throw RecordProblem("the absent elements of a list are out of order")
                }
                absent.append(index)
            } else if tag == FieldNumber.elementTag {
                count += 1
            } else {
                throw RecordProblem("a list has a field \(tag)")
            }
        }
        guard absent.last ?? -1 < count + absent.count else {
            throw RecordProblem("an element is absent behind the end of its list")
        }
        absent.reverse()
        walk = TaggedWalk(input.bytes, range)
        advance()
    }

    var isAtEnd: Bool { ahead == nil && absent.isEmpty }

    /// Goes past an absent element.
    mutating func skipAbsent() -> Bool {
        guard absent.last == index else { return false }
        absent.removeLast()
        index += 1
        return true
    }

    mutating func next() throws(RecordProblem) -> TaggedPlace {
        if skipAbsent() { return .missing }
        guard let place = ahead else { throw RecordProblem("a list has fewer elements than were asked for") }
        index += 1
        advance()
        return place
    }

    private mutating func advance() {
        ahead = nil
        while let field = try? walk?.next() {
            if field.tag == FieldNumber.elementTag {
                ahead = field.place
                return
            }
        }
    }
}
