/// One change of a commit, as the log stores it. Trees are named by number, so replay needs no application code.
///
///     put      u8 1 | u8 tree | u16 keyCount | u16 facets | u32 valueCount | key | value
///     remove   u8 2 | u8 tree | u16 keyCount | key
///     declare  u8 3 | u8 tree | u8 facetCount | u8 placement | u16 nameCount | name
///     clear    u8 4 | u8 tree
enum Operation: ~Escapable {
    case put(tree: UInt8, key: RawSpan, facets: UInt16, value: RawSpan)
    case remove(tree: UInt8, key: RawSpan)
    case declare(TreeDeclaration)
    case clear(tree: UInt8)

    static let putCode: UInt8 = 1
    static let removeCode: UInt8 = 2
    static let declareCode: UInt8 = 3
    static let clearCode: UInt8 = 4
    static let putHeaderByteCount = 10
    private static let removeHeaderByteCount = 4
    private static let declareHeaderByteCount = 6
    private static let clearByteCount = 2

    /// Visits the operations of a payload in order. Gives `false` at bytes that are none; nothing behind them is visited.
    static func forEach(
        in payload: RawSpan, _ body: (Operation) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        var start = 0
        while start < payload.byteCount {
            let left = payload.byteCount - start
            let tree = start + 1
            guard left > 1, TreeNumber.all.contains(payload.byte(at: tree)) else { return false }
            switch payload.byte(at: start) {
            case putCode:
                guard left >= putHeaderByteCount else { return false }
                let keyCount = Int(payload.loadLittleEndian(at: start + 2, as: UInt16.self))
                let valueCount = Int(payload.loadLittleEndian(at: start + 6, as: UInt32.self))
                guard Limits.keyByteCount.contains(keyCount), valueCount <= Limits.valueByteCount,
                    left - putHeaderByteCount >= keyCount + valueCount
                else { return false }
                let key = start + putHeaderByteCount
                let end = key + keyCount + valueCount
                try body(
                    .put(
                        tree: payload.byte(at: tree), key: payload.extracting(key..<key + keyCount),
                        facets: payload.loadLittleEndian(at: start + 4, as: UInt16.self),
                        value: payload.extracting(key + keyCount..<end)))
                start = end
            case removeCode:
                guard left >= removeHeaderByteCount else { return false }
                let keyCount = Int(payload.loadLittleEndian(at: start + 2, as: UInt16.self))
                guard Limits.keyByteCount.contains(keyCount), left - removeHeaderByteCount >= keyCount else {
                    return false
                }
                let key = start + removeHeaderByteCount
                try body(.remove(tree: payload.byte(at: tree), key: payload.extracting(key..<key + keyCount)))
                start = key + keyCount
            case declareCode:
                guard left >= declareHeaderByteCount,
                    let placement = ValuePlacement(rawValue: payload.byte(at: start + 3))
                else { return false }
                let nameCount = Int(payload.loadLittleEndian(at: start + 4, as: UInt16.self))
                let nameStart = start + declareHeaderByteCount
                guard left - declareHeaderByteCount >= nameCount,
                    let name = String(
                        validating: payload.copyBytes(nameStart..<nameStart + nameCount), as: UTF8.self)
                else { return false }
                let declaration = TreeDeclaration(
                    TreeNumber(payload.byte(at: tree)), name,
                    facetCount: Int(payload.byte(at: start + 2)), placement: placement)
                guard declaration.objection == nil else { return false }
                try body(.declare(declaration))
                start = nameStart + nameCount
            case clearCode:
                guard left >= clearByteCount else { return false }
                try body(.clear(tree: payload.byte(at: tree)))
                start += clearByteCount
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
        bytes.append(Operation.putCode)
        bytes.append(tree)
        bytes.append(littleEndian: UInt16(key.byteCount))
        bytes.append(littleEndian: facets)
        bytes.append(littleEndian: UInt32(value.byteCount))
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
    }

    mutating func remove(tree: UInt8, key: RawSpan) {
        bytes.append(Operation.removeCode)
        bytes.append(tree)
        bytes.append(littleEndian: UInt16(key.byteCount))
        bytes.append(contentsOf: key)
    }

    mutating func declare(_ tree: TreeDeclaration) {
        bytes.append(Operation.declareCode)
        bytes.append(tree.number.rawValue)
        bytes.append(UInt8(tree.facetCount))
        bytes.append(tree.placement.rawValue)
        bytes.append(littleEndian: UInt16(tree.name.utf8.count))
        bytes.append(contentsOf: tree.name.utf8)
    }

    mutating func clear(tree: UInt8) {
        bytes.append(Operation.clearCode)
        bytes.append(tree)
    }
}
