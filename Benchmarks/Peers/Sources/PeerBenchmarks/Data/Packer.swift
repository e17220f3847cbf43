/// Writes numbers and texts one behind the other: numbers in as many groups of seven bits as they need, texts behind their length.
struct Packer {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: Int) {
        // Small negative numbers stay small.
        var rest = UInt(bitPattern: number << 1 ^ number >> (Int.bitWidth - 1))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ number: Int?) {
        bytes.append(number == nil ? 0 : 1)
        if let number { add(number) }
    }

    mutating func add(_ text: String) {
        add(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ text: String?) {
        guard let text else { return add(-1) }
        add(text)
    }

    mutating func add(_ data: [UInt8]) {
        add(data.count)
        bytes.append(contentsOf: data)
    }

    mutating func add<Element>(_ list: [Element], _ body: (inout Packer, Element) -> Void) {
        add(list.count)
        for element in list { body(&self, element) }
    }

    mutating func add(_ value: some Packed) { value.pack(into: &self) }

    mutating func add<Value: Packed>(_ list: [Value]) { add(list) { $0.add($1) } }
}

/// Reads what a `Packer` wrote, in the same order.
struct Unpacker {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func number() -> Int {
        var result: UInt = 0
        var shift: UInt = 0
        while true {
            let byte = bytes[offset]
            offset += 1
            result |= UInt(byte & 0x7F) << shift
            guard byte >= 0x80 else { break }
            shift += 7
        }
        return Int(bitPattern: result >> 1) ^ -Int(bitPattern: result & 1)
    }

    mutating func optionalNumber() -> Int? {
        offset += 1
        return bytes[offset - 1] == 0 ? nil : number()
    }

    mutating func text() -> String { optionalText() ?? "" }

    mutating func optionalText() -> String? {
        let count = number()
        guard count >= 0 else { return nil }
        defer { offset += count }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), as: UTF8.self)
    }

    mutating func data() -> [UInt8] {
        let count = number()
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    mutating func list<Element>(_ body: (inout Unpacker) -> Element) -> [Element] {
        let count = number()
        var result: [Element] = []
        result.reserveCapacity(count)
        for _ in 0..<count { result.append(body(&self)) }
        return result
    }

    mutating func list<Value: Packed>() -> [Value] { list { Value(from: &$0) } }
}

/// A value that is stored as bytes.
protocol Packed {
    init(from bytes: inout Unpacker)
    func pack(into packer: inout Packer)
}

extension Packed {
    init(_ bytes: UnsafeRawBufferPointer) {
        var unpacker = Unpacker(bytes)
        self.init(from: &unpacker)
    }

    var packed: [UInt8] {
        var packer = Packer()
        pack(into: &packer)
        return packer.bytes
    }
}
