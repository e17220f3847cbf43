import TestSupport
import Testing

@testable import RecordStore

/// Fields in any order of calls, against the bytes of the same tree written by hand.
@Suite struct RecordEncodingTests {
    @Test func `whatever order fields are encoded in, the bytes are those of their tree`() throws {
        var random = SeededGenerator.forTest(fallback: 32)
        for _ in 0..<2000 {
            let tree = Tree.fields(using: &random, depth: 0)
            #expect(try TaggedEncoder.encode(tree) == tree.bytes, "\(tree)")
        }
    }

    @Test func `a field whose value throws is written as far as it came`() throws {
        struct Throwing: Encodable {
            struct Problem: Error {}
            func encode(to encoder: any Encoder) throws {
                var fields = encoder.container(keyedBy: Tree.Key.self)
                try fields.encode(7, forKey: .number(2))
                throw Problem()
            }
        }
        struct Catching: Encodable {
            func encode(to encoder: any Encoder) throws {
                var fields = encoder.container(keyedBy: Tree.Key.self)
                try? fields.encode(Throwing(), forKey: .number(1))
                var list = fields.nestedUnkeyedContainer(forKey: .number(0))
                try? list.encode(Throwing())
                try list.encode("x")
            }
        }
        let inner = Tree.fields([(.number(2), .integer(7))])
        let tree = Tree.fields([(.number(0), .list([inner, .text("x")])), (.number(1), inner)])
        #expect(try TaggedEncoder.encode(Catching()) == tree.bytes)
    }
}

/// What is encoded, and the calls that encode it.
private indirect enum Tree: Encodable {
    enum Key: CodingKey {
        case number(Int)
        case name(String)

        var stringValue: String {
            switch self {
            // A key whose name is its number is that of a dictionary.
            case .number(let number): "field \(number)"
            case .name(let name): name
            }
        }
        var intValue: Int? { if case .number(let number) = self { number } else { nil } }
        init?(stringValue: String) { self = .name(stringValue) }
        init?(intValue: Int) { self = .number(intValue) }
    }

    case nothing
    case integer(Int)
    case small(UInt8)
    case identifier(ID<Thing>)
    case text(String)
    case flag(Bool)
    case real(Double)
    /// In the order of the calls; some keys are there more than once.
    case fields([(Key, Tree)])
    case list([Tree])

    static func fields(using random: inout SeededGenerator, depth: Int) -> Tree {
        .fields(
            (0..<Int.random(in: 0...7, using: &random)).map { _ in
                let number = Int.random(in: 0...16, using: &random)
                return (random.oneIn(5) ? .name("n\(number % 4)") : .number(number), Tree.random(using: &random, depth))
            })
    }

    private static func random(using random: inout SeededGenerator, _ depth: Int) -> Tree {
        switch Int.random(in: 0..<(depth < 3 ? 10 : 7), using: &random) {
        case 0: .nothing
        case 1: .integer(.random(in: -300...300, using: &random))
        case 2: .small(.random(in: 0...255, using: &random))
        case 3: .identifier(ID(rawValue: .random(in: 0...UInt64.max, using: &random)))
        case 4: .text(random.pick(["", "a", "Zoë\u{0}", String(repeating: "long ", count: 40)])!)
        case 5: .flag(random.oneIn(2))
        case 6: .real(.random(in: -1...1, using: &random))
        case 7: .list((0..<Int.random(in: 0...4, using: &random)).map { _ in Tree.random(using: &random, depth + 1) })
        default: fields(using: &random, depth: depth + 1)
        }
    }

    // MARK: The calls

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .fields(let fields):
            var container = encoder.container(keyedBy: Key.self)
            for (index, (key, value)) in fields.enumerated() { try value.encode(key, to: &container, index) }
        case .list(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements {
                if case .nothing = element { try container.encodeNil() } else { try element.encode(to: &container) }
            }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .integer(let value): try container.encode(value)
            case .small(let value): try container.encode(value)
            case .identifier(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            case .flag(let value): try container.encode(value)
            case .real(let value): try container.encode(value)
            default: try container.encodeNil()
            }
        }
    }

    private func encode(_ key: Key, to container: inout KeyedEncodingContainer<Key>, _ index: Int) throws {
        switch self {
        case .nothing: try container.encodeNil(forKey: key)
        case .integer(let value): try container.encode(value, forKey: key)
        case .small(let value): try container.encode(value, forKey: key)
        case .identifier(let value): try container.encode(value, forKey: key)
        case .text(let value): try container.encode(value, forKey: key)
        case .flag(let value): try container.encode(value, forKey: key)
        case .real(let value): try container.encode(value, forKey: key)
        case .fields, .list:
            // By all the ways that lead to a nested record.
            if index % 2 == 0 {
                try container.encode(self, forKey: key)
            } else {
                try encode(to: container.superEncoder(forKey: key))
            }
        }
    }

    private func encode(to container: inout any UnkeyedEncodingContainer) throws {
        switch self {
        case .integer(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        default: try container.encode(self)
        }
    }

    // MARK: The bytes

    var bytes: [UInt8] {
        var writer = RecordWriter()
        switch self {
        case .fields(let fields):
            var names: [String: Tree] = [:]
            var numbers: [Int: Tree] = [:]
            for (key, value) in fields {
                switch key {
                case .name(let name): names[name] = value
                case .number(let number): numbers[number] = value
                }
            }
            for (name, value) in names.sorted(by: { $0.key < $1.key }) {
                var field = RecordWriter()
                field.write(1, name.utf8)
                value.write(2, to: &field)
                writer.write(2, field.finish())
            }
            for (number, value) in numbers.sorted(by: { $0.key < $1.key }) {
                value.write(FieldNumber.tag(number), to: &writer)
            }
        case .list(let elements):
            for (index, element) in elements.enumerated() {
                if case .nothing = element { writer.write(1, number: UInt64(index)) }
            }
            for element in elements { element.write(2, to: &writer) }
        default: break
        }
        return writer.finish()
    }

    private func write(_ tag: UInt32, to writer: inout RecordWriter) {
        switch self {
        case .nothing: break
        case .integer(let value): writer.write(tag, number: UInt64(bitPattern: Int64(value << 1 ^ value >> 63)))
        case .small(let value): writer.write(tag, number: UInt64(value))
        case .identifier(let value): writer.write(tag, eightBytes: value.rawValue)
        case .text(let value): writer.write(tag, value.utf8)
        case .flag(let value): writer.write(tag, number: value ? 1 : 0)
        case .real(let value): writer.write(tag, eightBytes: value.bitPattern)
        case .fields, .list: writer.write(tag, bytes)
        }
    }
}
