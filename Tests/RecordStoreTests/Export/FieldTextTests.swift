import TestSupport
import Testing

@testable import RecordStore

/// Every field is a value of JSON, and that is the same field again.
@Suite struct FieldTextTests {
    private static let types: [FieldType] = {
        let plain: [FieldType] = [
            .unknown, .flag, .integer, .natural, .real, .text, .bytes, .identifier, .day, .moment, .money, .uuid, .url,
        ]
        let record = FieldType.record(
            plain.enumerated().map { FieldDescription(number: $0 * 3, name: "field \($0)", type: $1) }
                + [FieldDescription(number: nil, name: "named", type: .money)])
        return plain + [record] + (plain + [record]).flatMap { [.list(of: $0), .named($0), .list(of: .list(of: $0))] }
    }()

    @Test func `fields that lie in each other to any depth are read one level deep`() throws {
        // From the innermost out, backwards.
        var reversed: [UInt8] = []
        for _ in 0..<50_000 {
            var length = reversed.count
            var varint: [UInt8] = []
            repeat {
                varint.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
                length >>= 7
            } while length > 0
            reversed += varint.reversed() + [0x12]
        }
        #expect(try StoredFields(reversed.reversed()).all.map(\.tag) == [2])
    }

    /// What is stored: as a rule of the type, and now and then anything.
    private static func stored(_ type: FieldType, _ random: inout SeededGenerator, depth: Int = 0) -> TaggedValue {
        if random.oneIn(12) {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return .number(.random(in: 0...(.max), using: &random))
            case 1: return .eightBytes(.random(in: 0...(.max), using: &random))
            default:
                return .bytes(
                    (0..<Int.random(in: 0...20, using: &random)).map { _ in .random(in: 0...255, using: &random) })
            }
        }
        let small = Int64.random(in: -40_000...40_000, using: &random)
        switch type {
        case .flag: return .number(.random(in: 0...1, using: &random))
        case .integer, .money: return .signed(random.oneIn(3) ? .random(in: .min...(.max), using: &random) : small)
        case .day: return .signed(random.oneIn(3) ? Int64(Int32.random(in: .min...(.max), using: &random)) : small)
        case .natural: return .number(.random(in: 0...(.max), using: &random))
        case .real, .moment:
            let seconds = Double(small) * 20_000
            let values: [Double] = [
                0, -0.0, .nan, .infinity, .pi, 1e300, .leastNonzeroMagnitude, seconds, seconds + 0.5, seconds + 1.0 / 3,
                seconds + 1e-9,
                Double(bitPattern: .random(in: 0...(.max), using: &random)),
            ]
            return .eightBytes(values.randomElement(using: &random)!.bitPattern)
        case .text, .url, .unknown:
            let texts = [
                "", "a", "Ann “A”\n", "\u{0}\u{7F}\u{2028}", "#", "#7", "日本語", "\u{1F600}e\u{301}", "null", "7",
            ]
            return .bytes(Array(texts.randomElement(using: &random)!.utf8))
        case .bytes: return .bytes((0..<5).map { _ in .random(in: 0...255, using: &random) })
        case .uuid: return .bytes((0..<16).map { _ in .random(in: 0...255, using: &random) })
        case .identifier: return .eightBytes(.random(in: 0...(.max), using: &random))
        case .list(let element):
            let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                random.oneIn(4) ? nil : stored(element, &random, depth: depth + 1)
            }
            var writer = RecordWriter()
            for (index, element) in elements.enumerated() where element == nil {
                writer.write(FieldNumber.absentTag, number: UInt64(index))
            }
            for element in elements.compactMap(\.self) { writer.write(FieldNumber.elementTag, element) }
            return .bytes(writer.finish())
        case .named(let value): return .bytes(named(["", "#", "##bytes", "a", "z"], value, &random, depth).finish())
        case .record(let fields):
            var writer = named(["#bytes", "named", "other"], .unknown, &random, depth)
            for field in fields + [FieldDescription(number: 4000, name: "", type: .integer)] {
                guard let number = field.number, random.oneIn(2) else { continue }
                writer.write(FieldNumber.tag(number), stored(field.type, &random, depth: depth + 1))
            }
            return .bytes(writer.finish())
        }
    }

    private static func named(
        _ names: [String], _ type: FieldType, _ random: inout SeededGenerator, _ depth: Int
    ) -> RecordWriter {
        var writer = RecordWriter()
        for name in names where random.oneIn(2) {
            var field = RecordWriter()
            field.write(FieldNumber.nameTag, name.utf8)
            field.write(FieldNumber.valueTag, stored(type, &random, depth: depth + 1))
            writer.write(FieldNumber.namedTag, field.finish())
        }
        return writer
    }

    @Test func `whatever is stored is read again from its JSON`() throws {
        var random = SeededGenerator.forTest(fallback: 21)
        for _ in 0..<20_000 {
            let type = Self.types.randomElement(using: &random)!
            let stored = Self.stored(type, &random)
            let text = type.json(stored)
            let value = try JSONReader.value(of: text)
            let again = try type.stored(value)
            #expect(again == stored, "\(type): \(text)")
            #expect(type.json(again) == text)
        }
    }

    @Test func `people's words stand where there are any`() {
        #expect(FieldType.moment.json(.eightBytes(Double(0).bitPattern)) == "\"2001-01-01T00:00:00Z\"")
        #expect(FieldType.moment.json(.eightBytes(Double(-0.25).bitPattern)) == "\"2000-12-31T23:59:59.75Z\"")
        #expect(FieldType.moment.json(.eightBytes(Double.nan.bitPattern)).contains("#bits"))
        #expect(FieldType.real.json(.eightBytes((-0.0).bitPattern)) == "-0.0")
        #expect(FieldType.money.json(.signed(-125_000)) == "\"-12.50\"")
        #expect(FieldType.identifier.json(.eightBytes(1 << 40 | 5)) == "\"000001-5\"")
        #expect(FieldType.text.json(.bytes([0xFF])) == ##"{"#bytes":"ff"}"##)
        #expect(FieldType.text.json(.number(7)) == ##"{"#number":7}"##)
        #expect(FieldType.unknown.json(.number(7)) == ##"{"#number":7}"##)
        #expect(FieldType.unknown.json(.bytes(Array("Ann".utf8))) == ##"{"#text":"Ann"}"##)
        #expect(FieldType.list(of: .day).json(.bytes([])) == "[]")
    }

    @Test func `a value of another type is refused in words`() throws {
        let wrong: [(FieldType, String)] = [
            (.flag, "1"), (.integer, "1.5"), (.integer, "9223372036854775808"), (.natural, "-1"), (.real, "\"1\""),
            (.real, "1e400"), (.text, "7"), (.identifier, "\"7\""), (.day, "\"2025-02-30\""), (.money, "12.5"),
            (.moment, "\"2001-01-01\""), (.moment, "\"2001-01-01T24:00:00Z\""), (.uuid, "\"x\""),
            (.list(of: .text), "{}"),
            (.list(of: .text), "[1]"), (.bytes, "\"00\""), (.bytes, ##"{"#bytes":"0"}"##), (.text, ##"{"#bits":"1"}"##),
        ]
        for (type, text) in wrong {
            let value = try JSONReader.value(of: text)
            #expect(throws: RecordProblem.self, "\(type) \(text)") { try type.stored(value) }
        }
    }
}

/// What is JSON is read, and what is not is told.
@Suite struct JSONReaderTests {
    @Test func `what the standard has is read`() throws {
        let text =
            "\t{ \"a\" : [ 1 , -0.5e+3 , true , false , null , \"\\u00e9\\ud83d\\ude00\\n\\/\\ud83d\" ] , \"\" : { } }\r\n"
        let expected = JSONValue.object([
            JSONMember(
                name: "a",
                value: .array([
                    .number("1"), .number("-0.5e+3"), .flag(true), .flag(false), .null, .text("é\u{1F600}\n/\u{FFFD}"),
                ])),
            JSONMember(name: "", value: .object([])),
        ])
        #expect(try JSONReader.value(of: text) == expected)
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "'a'", "\"a", "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u+123\"", "01", "-", "1.", "1e", ".5", "+1", "tru", "nul", "1 2", "\"\u{1}\"", "NaN",
    ]) func `what is no JSON is refused with its place`(text: String) {
        let problem = #expect(throws: JSONProblem.self) { try JSONReader.value(of: text) }
        #expect(problem?.description.contains(", at byte ") == true)
    }

    @Test func `no depth and no bytes trap`() {
        #expect(throws: JSONProblem.self) { try JSONReader.value(of: String(repeating: "[", count: 1_000_000)) }
        var random = SeededGenerator.forTest(fallback: 22)
        let signs = Array("{}[]:,\"\\u0123456789eE+-.truefalsn \n\u{1F600}")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...24, using: &random)).map { _ in signs.randomElement(using: &random)! })
            _ = try? JSONReader.value(of: text)
        }
    }
}
