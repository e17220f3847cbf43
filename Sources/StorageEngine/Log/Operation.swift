/// One change of a commit, as the log stores it. Trees are named by number, so replay needs no application code.
/// `Formats/LOG.md` lists their fields.
enum Operation: ~Escapable {
    case put(tree: TreeNumber, key: RawSpan, facets: UInt16, value: RawSpan)
    case remove(tree: TreeNumber, key: RawSpan)
    case declare(TreeDeclaration)
    case clear(tree: TreeNumber)
    /// Says something about the commit and changes nothing: a replay passes it by, whatever its code. `LogNote` lists those written here.
    case note(code: UInt8, RawSpan)

    static let putCode: UInt8 = 1
    static let removeCode: UInt8 = 2
    static let declareCode: UInt8 = 3
    static let clearCode: UInt8 = 4
    static let noteCodes: ClosedRange<UInt8> = 64...127

    /// The fields of an operation that are always as wide; `nil` for an unknown code.
    private static func fieldByteCount(_ code: UInt8) -> Int? {
        switch code {
        case putCode: OperationField.Put.end
        case removeCode: OperationField.Remove.end
        case declareCode: OperationField.Declare.end
        case clearCode: OperationField.Clear.end
        default: nil
        }
    }

    /// Visits the operations of a payload in order. Gives `false` at bytes that are none; nothing behind them is visited.
    static func forEach(
        in payload: RawSpan, _ body: (Operation) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        var start = 0
        while start < payload.byteCount {
            let code = payload.load(OperationField.code, at: start)
            if noteCodes.contains(code) {
                guard let end = try visitNote(of: code, in: payload, at: start, body) else { return false }
                start = end
                continue
            }
            guard let fields = fieldByteCount(code), payload.byteCount - start >= fields,
                let (number, behind) = payload.variableLengthNumber(at: start + fields),
                TreeNumber.all.contains(number)
            else { return false }
            let tree = TreeNumber(number)
            let left = payload.byteCount - behind
            switch code {
            case putCode:
                let keyCount = Int(payload.load(OperationField.Put.keyCount, at: start))
                let valueCount = Int(payload.load(OperationField.Put.valueCount, at: start))
                guard Limits.keyByteCount.contains(keyCount), valueCount <= Limits.valueByteCount,
                    left >= keyCount + valueCount
                else { return false }
                let end = behind + keyCount + valueCount
                try body(
                    .put(
                        tree: tree, key: payload.extracting(behind..<behind + keyCount),
                        facets: payload.load(OperationField.Put.facets, at: start),
                        value: payload.extracting(behind + keyCount..<end)))
                start = end
            case removeCode:
                let keyCount = Int(payload.load(OperationField.Remove.keyCount, at: start))
                guard Limits.keyByteCount.contains(keyCount), left >= keyCount else { return false }
                try body(.remove(tree: tree, key: payload.extracting(behind..<behind + keyCount)))
                start = behind + keyCount
            case declareCode:
                let nameCount = Int(payload.load(OperationField.Declare.nameCount, at: start))
                guard left >= nameCount,
                    let placement = ValuePlacement(rawValue: payload.load(OperationField.Declare.placement, at: start)),
                    let columns = TreeColumns(word: payload.load(OperationField.Declare.columns, at: start)),
                    let name = String(validating: payload.copyBytes(behind..<behind + nameCount), as: UTF8.self)
                else { return false }
                let declaration = TreeDeclaration(
                    tree, name, facetCount: Int(payload.load(OperationField.Declare.facetCount, at: start)),
                    columns: columns, placement: placement,
                    home: KeyLead(code: payload.load(OperationField.Declare.lead, at: start)).map {
                        TreeHome(TreeNumber(payload.load(OperationField.Declare.home, at: start)), lead: $0)
                    })
                guard declaration.objection == nil else { return false }
                try body(.declare(declaration))
                start = behind + nameCount
            default:
                try body(.clear(tree: tree))
                start = behind
            }
        }
        return true
    }

    /// Gives where the note ends; `nil` when it is longer than what is left of the payload.
    private static func visitNote(
        of code: UInt8, in payload: RawSpan, at start: Int, _ body: (Operation) throws(StorageError) -> Void
    ) throws(StorageError) -> Int? {
        let behind = start + OperationField.Note.end
        guard behind <= payload.byteCount else { return nil }
        let byteCount = Int(payload.load(OperationField.Note.byteCount, at: start))
        guard byteCount <= payload.byteCount - behind else { return nil }
        try body(.note(code: code, payload.extracting(behind..<behind + byteCount)))
        return behind + byteCount
    }
}

/// Collects the operations of one transaction.
struct OperationEncoder {
    private(set) var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    /// The most that an operation has besides its key and value, or name.
    static let overheadByteCount = max(OperationField.Put.end, OperationField.Declare.end) + 4

    mutating func put(tree: TreeNumber, key: RawSpan, facets: UInt16, value: RawSpan) {
        var beginning = ShortBytes(zeros: OperationField.Put.end)
        beginning.store(Operation.putCode, in: OperationField.code)
        beginning.store(UInt16(key.byteCount), in: OperationField.Put.keyCount)
        beginning.store(facets, in: OperationField.Put.facets)
        beginning.store(UInt32(value.byteCount), in: OperationField.Put.valueCount)
        beginning.append(variableLengthNumber: tree.rawValue)
        beginning.append(to: &bytes)
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
    }

    mutating func remove(tree: TreeNumber, key: RawSpan) {
        var beginning = ShortBytes(zeros: OperationField.Remove.end)
        beginning.store(Operation.removeCode, in: OperationField.code)
        beginning.store(UInt16(key.byteCount), in: OperationField.Remove.keyCount)
        beginning.append(variableLengthNumber: tree.rawValue)
        beginning.append(to: &bytes)
        bytes.append(contentsOf: key)
    }

    mutating func declare(_ tree: TreeDeclaration) {
        let start = begin(Operation.declareCode, byteCount: OperationField.Declare.end)
        bytes.store(UInt8(tree.facetCount), in: OperationField.Declare.facetCount, at: start)
        bytes.store(tree.columns.word, in: OperationField.Declare.columns, at: start)
        bytes.store(tree.placement.rawValue, in: OperationField.Declare.placement, at: start)
        bytes.store(UInt16(tree.name.utf8.count), in: OperationField.Declare.nameCount, at: start)
        bytes.store(tree.home?.lead.code ?? 0, in: OperationField.Declare.lead, at: start)
        bytes.store(tree.home?.tree.rawValue ?? 0, in: OperationField.Declare.home, at: start)
        bytes.append(variableLengthNumber: tree.number.rawValue)
        bytes.append(contentsOf: tree.name.utf8)
    }

    mutating func clear(tree: TreeNumber) {
        _ = begin(Operation.clearCode, byteCount: OperationField.Clear.end)
        bytes.append(variableLengthNumber: tree.rawValue)
    }

    mutating func note(_ code: UInt8, _ note: [UInt8]) {
        let start = begin(code, byteCount: OperationField.Note.end)
        bytes.store(UInt32(note.count), in: OperationField.Note.byteCount, at: start)
        bytes += note
    }

    /// Appends an operation's fields, of so many bytes in all, with the code. Gives where they begin.
    private mutating func begin(_ code: UInt8, byteCount: Int) -> Int {
        let start = bytes.count
        bytes.append(zeros: byteCount)
        bytes.store(code, in: OperationField.code, at: start)
        return start
    }
}
