/// Writes JSON text member by member, in the order of the calls.
///
/// Exported libraries must be equal byte for byte when their content is equal, which an unordered dictionary cannot
/// promise. Strings are escaped as RFC 8259 asks and no further: text stays readable, and U+2028 and U+2029 are escaped
/// because some readers take them for line ends.
///
/// ```
/// var json = JSONWriter()
/// json.object { json in
///     json.member("name", "Savings")
///     json.array("tags") { json in json.element("joint") }
/// }
/// json.text  // {"name":"Savings","tags":["joint"]}
/// ```
package struct JSONWriter {
    private var bytes: [UInt8] = []
    private var depth = 0

    /// Whether the next value is the first of its object or array.
    private var isFirst = true

    /// Spaces for each level of nesting; `nil` writes everything on one line.
    private let indentation: Int?

    package init(indentation: Int? = nil) {
        self.indentation = indentation
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A text as a value.
    static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.append(quoted: text)
        return writer.text
    }

    // MARK: Containers

    /// The document, or an object within an array.
    package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        separate()
        try contain("{", "}", body)
    }

    /// The document, or an array within an array.
    package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        separate()
        try contain("[", "]", body)
    }

    package mutating func object(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
        self.name(name)
        try contain("{", "}", body)
    }

    package mutating func array(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
        self.name(name)
        try contain("[", "]", body)
    }

    // MARK: Members of an object

    package mutating func member(_ name: String, _ value: String) {
        self.name(name)
        append(quoted: value)
    }

    package mutating func member(_ name: String, _ value: some FixedWidthInteger) {
        self.name(name)
        append(String(value))
    }

    /// A number that is not finite has no form in JSON and becomes `null`.
    package mutating func member(_ name: String, _ value: Double) {
        self.name(name)
        append(number: value)
    }

    package mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        append(value ? "true" : "false")
    }

    /// A value that is JSON already.
    package mutating func member(_ name: String, json: String) {
        self.name(name)
        append(json)
    }

    package mutating func null(_ name: String) {
        self.name(name)
        append("null")
    }

    // MARK: Elements of an array

    /// A value that is JSON already.
    package mutating func element(json: String) {
        separate()
        append(json)
    }

    package mutating func element(_ value: String) {
        separate()
        append(quoted: value)
    }

    package mutating func element(_ value: some FixedWidthInteger) {
        separate()
        append(String(value))
    }

    package mutating func element(_ value: Double) {
        separate()
        append(number: value)
    }

    package mutating func element(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    // MARK: Pieces

    private mutating func contain(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) throws -> Void
    ) rethrows {
        bytes.append(UInt8(ascii: open))
        depth += 1
        isFirst = true
        try body(&self)
        depth -= 1
        if !isFirst { breakLine() }
        bytes.append(UInt8(ascii: close))
        isFirst = false
    }

    private mutating func name(_ name: String) {
        separate()
        append(quoted: name)
        append(indentation == nil ? ":" : ": ")
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        if depth > 0 { breakLine() }
        isFirst = false
    }

    private mutating func breakLine() {
        guard let indentation else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation * depth))
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Whole numbers without a fraction: `4`, not `4.0`.
    private mutating func append(number: Double) {
        if !number.isFinite {
            append("null")
        } else if number == number.rounded(), abs(number) < 9e15 {
            append(String(Int64(number)))
        } else {
            append(String(number))
        }
    }

    private mutating func append(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            // Terminals take those behind 7F for the beginning of commands, too.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let hexadecimal = String(scalar.value, radix: 16)
                append("\\u" + String(repeating: "0", count: 4 - hexadecimal.utf8.count) + hexadecimal)
            default: bytes.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
