/// One change of a commit, as the log stores it. Trees are named by number, so replay needs no application code.
/// `Formats/LOG.md` lists their fields.
enum Operation: ~Escapable {
    case put(tree: UInt8, key: RawSpan, facets: UInt16, value: RawSpan)
    case remove(tree: UInt8, key: RawSpan)
    case declare(TreeDeclaration)
    case clear(tree: UInt8)

    static let putCode: UInt8 = 1
    static let removeCode: UInt8 = 2
    static let declareCode: UInt8 = 3
    static let clearCode: UInt8 = 4

    /// Visits the operations of a payload in order. Gives `false` at bytes that are none; nothing behind them is visited.
    static func forEach(
        in payload: RawSpan, _ body: (Operation) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        var start = 0
        while start < payload.byteCount {
            let left = payload.byteCount - start
            guard left >= OperationField.tree.end else { return false }
            let tree = payload.load(OperationField.tree, at: start)
            guard TreeNumber.all.contains(tree) else { return false }
            switch payload.load(OperationField.code, at: start) {
            case putCode:
                guard left >= OperationField.Put.end else { return false }
                let keyCount = Int(payload.load(OperationField.Put.keyCount, at: start))
                let valueCount = Int(payload.load(OperationField.Put.valueCount, at: start))
                guard Limits.keyByteCount.contains(keyCount), valueCount <= Limits.valueByteCount,
                    left - OperationField.Put.end >= keyCount + valueCount
                else { return false }
                let key = start + OperationField.Put.end
                let end = key + keyCount + valueCount
                try body(
                    .put(
                        tree: tree, key: payload.extracting(key..<key + keyCount),
                        facets: payload.load(OperationField.Put.facets, at: start),
                        value: payload.extracting(key + keyCount..<end)))
                start = end
            case removeCode:
                guard left >= OperationField.Remove.end else { return false }
                let keyCount = Int(payload.load(OperationField.Remove.keyCount, at: start))
                guard Limits.keyByteCount.contains(keyCount), left - OperationField.Remove.end >= keyCount else {
                    return false
                }
                let key = start + OperationField.Remove.end
                try body(.remove(tree: tree, key: payload.extracting(key..<key + keyCount)))
                start = key + keyCount
            case declareCode:
                guard left >= OperationField.Declare.end,
                    let placement = ValuePlacement(rawValue: payload.load(OperationField.Declare.placement, at: start))
                else { return false }
                let nameCount = Int(payload.load(OperationField.Declare.nameCount, at: start))
                let nameStart = start + OperationField.Declare.end
                guard left - OperationField.Declare.end >= nameCount,
                    let name = String(
                        validating: payload.copyBytes(nameStart..<nameStart + nameCount), as: UTF8.self)
                else { return false }
                let declaration = TreeDeclaration(
                    TreeNumber(tree), name, facetCount: Int(payload.load(OperationField.Declare.facetCount, at: start)),
                    placement: placement)
                guard declaration.objection == nil else { return false }
                try body(.declare(declaration))
                start = nameStart + nameCount
            case clearCode:
                try body(.clear(tree: tree))
                start += OperationField.Clear.end
            default:
                return false
            }
        }
        return true
    }
}

/// Collects the operations of one transaction.
struct OperationEncoder {
    private(set) var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    mutating func put(tree: UInt8, key: RawSpan, facets: UInt16, value: RawSpan) {
        let start = begin(Operation.putCode, tree, byteCount: OperationField.Put.end)
        bytes.store(UInt16(key.byteCount), in: OperationField.Put.keyCount, at: start)
        bytes.store(facets, in: OperationField.Put.facets, at: start)
        bytes.store(UInt32(value.byteCount), in: OperationField.Put.valueCount, at: start)
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
    }

    mutating func remove(tree: UInt8, key: RawSpan) {
        let start = begin(Operation.removeCode, tree, byteCount: OperationField.Remove.end)
        bytes.store(UInt16(key.byteCount), in: OperationField.Remove.keyCount, at: start)
        bytes.append(contentsOf: key)
    }

    mutating func declare(_ tree: TreeDeclaration) {
        let start = begin(Operation.declareCode, tree.number.rawValue, byteCount: OperationField.Declare.end)
        bytes.store(UInt8(tree.facetCount), in: OperationField.Declare.facetCount, at: start)
        bytes.store(tree.placement.rawValue, in: OperationField.Declare.placement, at: start)
        bytes.store(UInt16(tree.name.utf8.count), in: OperationField.Declare.nameCount, at: start)
        bytes.append(contentsOf: tree.name.utf8)
    }

    mutating func clear(tree: UInt8) { _ = begin(Operation.clearCode, tree, byteCount: OperationField.Clear.end) }

    /// Appends an operation's fields, of so many bytes in all, with code and tree. Gives where they begin.
    private mutating func begin(_ code: UInt8, _ tree: UInt8, byteCount: Int) -> Int {
        let start = bytes.count
        bytes.append(zeros: byteCount)
        bytes.store(code, in: OperationField.code, at: start)
        bytes.store(tree, in: OperationField.tree, at: start)
        return start
    }
}
