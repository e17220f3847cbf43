import StorageEngine

/// A commit's operations, and what they replaced.
struct HistoryFrame {
    struct Change {
        let tree: TreeNumber
        let key: [UInt8]
        let before: [UInt8]?
        var after: [UInt8]?
        let commit: UInt64
    }

    private let number: UInt64
    private var operations: [UInt8] = []
    /// The same with stamps in the records that are put.
    private var stamped: [UInt8] = []
    /// The records among them.
    private(set) var records: [Change] = []
    private var others: [Change] = []

    init(number: UInt64) { self.number = number }

    /// - Parameter state: what was there, and is there afterwards.
    mutating func take(_ operation: SalvagedOperation, _ state: inout RecordState) {
        switch operation {
        case .put(let tree, let key, let facets, let value):
            note(Change(tree: tree, key: key, before: state.value(forKey: key, in: tree), after: value, commit: number))
            let head = Self.number(key.count, 2) + Self.number(Int(facets.rawValue), 2)
            let place = Self.treeBytes(tree) + key
            operations += [1] + head + Self.number(value.count, 4) + place + value
            var grown = value
            if RecordState.isOfRecords(tree) {
                grown += Change(tree: tree, key: key, before: nil, after: value, commit: number).stampField
            }
            stamped += [1] + head + Self.number(grown.count, 4) + place + grown
            state.put(value, forKey: key, in: tree)
        case .remove(let tree, let key):
            note(Change(tree: tree, key: key, before: state.value(forKey: key, in: tree), after: nil, commit: number))
            let bytes = [2] + Self.number(key.count, 2) + Self.treeBytes(tree) + key
            operations += bytes
            stamped += bytes
            state.remove(key, in: tree)
        case .removeAll: break
        }
    }

    private mutating func note(_ change: Change) {
        guard RecordState.isOfRecords(change.tree) else { return others.append(change) }
        // Of a record that is written twice, what was there first and is there last counts.
        if let index = records.firstIndex(where: { $0.tree == change.tree && $0.key == change.key }) {
            records[index].after = change.after
        } else {
            records.append(change)
        }
    }

    // MARK: Payloads

    func payload(_ kind: HistoryKind) -> [UInt8] {
        switch kind {
        case .nothing: operations
        case .origin: operations + Self.note(Self.stamp(of: number))
        case .images: operations + Self.note(records.flatMap(\.image))
        case .originAndImages:
            operations + Self.note(Self.stamp(of: number)) + Self.note(records.flatMap(\.image))
        case .allImages: operations + Self.note((records + others).flatMap(\.image))
        case .deltas: operations + Self.note(records.flatMap(\.delta))
        case .loggedStamps: operations + Self.note(records.flatMap(\.stamps))
        case .storedStamps: stamped
        }
    }

    /// As `Formats/LOG.md` has a note: a code, the count of its bytes, and these.
    private static func note(_ bytes: [UInt8]) -> [UInt8] {
        bytes.isEmpty ? [] : [0x41] + number(bytes.count, 4) + bytes
    }

    /// Of a frame with this payload.
    static func byteCount(of payload: [UInt8]) -> Int {
        let limit = payload.count - payload.count / 8
        var stored = payload.count
        if payload.count >= 128, let block = LZ4Block.compress(payload.span.bytes, into: limit) { stored = block.count }
        return (56 + stored + 7) / 8 * 8
    }

    // MARK: Bytes

    fileprivate static func number(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    fileprivate static func treeBytes(_ tree: TreeNumber) -> [UInt8] { variable(UInt64(tree.rawValue)) }

    fileprivate static func variable(_ number: UInt64) -> [UInt8] {
        var (number, bytes) = (number, [UInt8]())
        while number >= 0x80 {
            bytes.append(UInt8(number & 0x7F) | 0x80)
            number >>= 7
        }
        return bytes + [UInt8(number)]
    }

    /// Eight bytes of time and count, four of a device: as different from commit to commit as those would be.
    fileprivate static func stamp(of commit: UInt64) -> [UInt8] {
        let time = 0x0198_7654_3210_0000 &+ commit &* 0x0003_2F1D
        return withUnsafeBytes(of: time.bigEndian) { Array($0) } + [0x00, 0xA3, 0xF0, 0x9C]
    }
}

extension HistoryFrame.Change {
    private var place: [UInt8] {
        HistoryFrame.treeBytes(tree) + HistoryFrame.number(key.count, 2) + key
    }

    /// What was there; nothing for what is new: a put without an image put something new.
    var image: [UInt8] {
        guard let before else { return [] }
        return place + HistoryFrame.number(before.count, 4) + before
    }

    /// The fields that the commit changed, as they were, and the tags of those that it added.
    var delta: [UInt8] {
        guard let before, let after else { return image }
        let (old, new) = (fields(of: before), fields(of: after))
        let replaced = old.filter { new[$0.key] != $0.value }.sorted { $0.key < $1.key }.flatMap(\.value)
        let added = new.keys.filter { old[$0] == nil }.sorted().flatMap(HistoryFrame.variable)
        return place + HistoryFrame.number(added.count, 1) + added + HistoryFrame.number(replaced.count, 4) + replaced
    }

    /// A stamp for each field that the commit changed; one for a record that is gone.
    var stamps: [UInt8] {
        guard let after else { return place + [0] + HistoryFrame.stamp(of: commit) }
        let (old, new) = (before.map(fields) ?? [:], fields(of: after))
        let changed = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        return place + HistoryFrame.number(changed.count, 1)
            + changed.flatMap { HistoryFrame.variable($0) + HistoryFrame.stamp(of: commit) }
    }

    /// Tag 15 of the record: each field's tag and the stamp of its last change, which was another commit for each.
    var stampField: [UInt8] {
        let identifier = key.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let stamps = fields(of: after ?? []).keys.sorted().flatMap { tag in
            HistoryFrame.variable(tag) + HistoryFrame.stamp(of: tag % 3 == 0 ? commit : identifier % 5000)
        }
        return [15 << 3 | 2] + HistoryFrame.variable(UInt64(stamps.count)) + stamps
    }

    /// Header and content of each field of a record. A text is one field.
    private func fields(of record: [UInt8]) -> [UInt64: [UInt8]] {
        guard tree.rawValue != 11 else { return [1: record] }
        var (fields, place) = ([UInt64: [UInt8]](), 0)
        func variable() -> UInt64 {
            var (number, shift) = (UInt64(0), UInt64(0))
            while place < record.count {
                let byte = record[place]
                place += 1
                number |= UInt64(byte & 0x7F) << shift
                shift += 7
                if byte < 0x80 { break }
            }
            return number
        }
        while place < record.count {
            let start = place
            let head = variable()
            switch head & 7 {
            case 0: _ = variable()
            case 1: place += 8
            default: place += Int(variable())
            }
            fields[head >> 3, default: []] += record[start..<min(place, record.count)]
        }
        return fields
    }
}
