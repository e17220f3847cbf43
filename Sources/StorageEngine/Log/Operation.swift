/// One change of a commit, as the log stores it. Trees are named by number, so replay needs no application code.
///
///     put      u8 1 | u8 tree | u16 keyCount | u16 facets | u32 valueCount | key | value
///     remove   u8 2 | u8 tree | u16 keyCount | key
///     declare  u8 3 | u8 tree | u8 facetCount | u8 placement | u16 nameCount | name
///     clear    u8 4 | u8 tree
enum Operation {
    case put(tree: UInt8, key: UnsafeRawBufferPointer, facets: UInt16, value: UnsafeRawBufferPointer)
    case remove(tree: UInt8, key: UnsafeRawBufferPointer)
    case declare(TreeDeclaration)
    case clear(tree: UInt8)

    static let putCode: UInt8 = 1
    static let removeCode: UInt8 = 2
    static let declareCode: UInt8 = 3
    static let clearCode: UInt8 = 4
    static let putHeaderByteCount = 10

    /// Visits the operations of a payload in order. Gives `false` at bytes that are none; nothing behind them is visited.
    static func forEach(
        in payload: UnsafeRawBufferPointer, _ body: (Operation) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        var position = 0
        func slice(_ count: Int) -> UnsafeRawBufferPointer? {
            guard count <= payload.count - position else { return nil }
            defer { position += count }
            return UnsafeRawBufferPointer(rebasing: payload[position..<position + count])
        }
        while position < payload.count {
            let start = position
            switch payload[start] {
            case putCode:
                guard slice(putHeaderByteCount) != nil else { return false }
                let keyCount = Int(payload.littleEndian(start + 2, UInt16.self))
                let valueCount = Int(payload.littleEndian(start + 6, UInt32.self))
                guard Limits.keyByteCount.contains(keyCount), valueCount <= Limits.valueByteCount,
                    let key = slice(keyCount), let value = slice(valueCount)
                else { return false }
                try body(
                    .put(
                        tree: payload[start + 1], key: key, facets: payload.littleEndian(start + 4, UInt16.self),
                        value: value))
            case removeCode:
                guard slice(4) != nil else { return false }
                let keyCount = Int(payload.littleEndian(start + 2, UInt16.self))
                guard Limits.keyByteCount.contains(keyCount), let key = slice(keyCount) else { return false }
                try body(.remove(tree: payload[start + 1], key: key))
            case declareCode:
                guard slice(6) != nil, let placement = ValuePlacement(rawValue: payload[start + 3]),
                    let name = slice(Int(payload.littleEndian(start + 4, UInt16.self)))
                else { return false }
                let declaration = TreeDeclaration(
                    TreeNumber(payload[start + 1]), String(decoding: name, as: UTF8.self),
                    facetCount: Int(payload[start + 2]), placement: placement)
                guard declaration.objection == nil else { return false }
                try body(.declare(declaration))
            case clearCode:
                guard slice(2) != nil else { return false }
                try body(.clear(tree: payload[start + 1]))
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

    mutating func put(tree: UInt8, key: UnsafeRawBufferPointer, facets: UInt16, value: UnsafeRawBufferPointer) {
        bytes.append(Operation.putCode)
        bytes.append(tree)
        bytes.append(littleEndian: UInt16(key.count))
        bytes.append(littleEndian: facets)
        bytes.append(littleEndian: UInt32(value.count))
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
    }

    mutating func remove(tree: UInt8, key: UnsafeRawBufferPointer) {
        bytes.append(Operation.removeCode)
        bytes.append(tree)
        bytes.append(littleEndian: UInt16(key.count))
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
