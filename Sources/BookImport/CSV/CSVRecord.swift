/// One record of a comma-separated file: its bytes, where the fields are in them and the line it began on.
///
/// Fields become text only when asked for, so a column nobody needs costs nothing.
package struct CSVRecord: Sendable {
    /// Why a record cannot be trusted. The description is a sentence for the person whose file it is.
    package enum Problem: Hashable, Sendable, CustomStringConvertible {
        /// The quote opened on that line has no closing one. The lines after it
        /// are read again as records of their own, except when `skippedThrough` names the last one that was not.
        case unclosedQuote(line: Int, skippedThrough: Int?)

        /// The quote opened on that line has no closing one within the limit of a field. Otherwise the same.
        case longQuote(line: Int, skippedThrough: Int?)

        /// A field has more bytes than a field may have, or the record more than a record; its first 4 KiB are kept.
        /// Further lines that belonged to it are read again in the same way.
        case tooLong(skippedThrough: Int?)

        /// A byte 0, which no text has.
        case holdsNUL

        package var description: String {
            switch self {
            case .unclosedQuote(let line, let last):
                "the quote opened on line \(line) is never closed" + Self.skipped(through: last)
            case .longQuote(let line, let last):
                "the quote opened on line \(line) is not closed within 16 MB" + Self.skipped(through: last)
            case .tooLong(let last): "the line is too long for a record of a book" + Self.skipped(through: last)
            case .holdsNUL: "the line holds a zero byte, which no text does"
            }
        }

        private static func skipped(through line: Int?) -> String {
            line.map { "; everything through line \($0) was skipped" } ?? ""
        }
    }

    /// Where a field is within the bytes of its record.
    struct Field: Hashable, Sendable {
        enum Form: UInt8, Sendable {
            /// As it stands.
            case plain
            /// It stood in quotes; the positions are those of the text between.
            case quoted
            /// Like `quoted`, with doubled quotes in it.
            case escaped
            /// It began in quotes and goes on behind the closing one. The positions include both.
            case trailed
        }

        var start: Int32
        var end: Int32
        var form: Form
    }

    /// The line the record begins on, counted from 1. A record with line breaks in quoted fields has more lines.
    package internal(set) var line = 1

    /// Set when the record cannot be used.
    package internal(set) var problem: Problem?

    /// True when the bytes were read before, as part of a field whose quote never closed. Such a record may be the
    /// inside of a real field, so it deserves less trust.
    package internal(set) var isRescanned = false

    /// The record as it stands in the file, without its line end.
    package internal(set) var bytes: [UInt8] = []

    var fields: [Field] = []

    /// An empty record, to be read into.
    package init() {}

    /// How many fields the record has.
    package var count: Int { fields.count }

    /// The text of a field without its quotes; empty when the record has no such field.
    ///
    /// Bytes that are not UTF-8 become U+FFFD; `mayHaveLostLetters` tells. Cost: one pass and at most one allocation.
    package func text(at index: Int) -> String {
        guard fields.indices.contains(index) else { return "" }
        let field = fields[index]
        let content = bytes[Int(field.start)..<Int(field.end)]
        switch field.form {
        case .plain, .quoted: return String(decoding: content, as: UTF8.self)
        case .escaped, .trailed: return String(decoding: Self.unescaped(content, form: field.form), as: UTF8.self)
        }
    }

    /// True when there is nothing in the field, in quotes or not, or no such field.
    package func isEmpty(at index: Int) -> Bool {
        guard fields.indices.contains(index) else { return true }
        return fields[index].start == fields[index].end
    }

    /// The whole record as it stands in the file.
    package var raw: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a field may hold U+FFFD, or bytes that are no text in UTF-8.
    var mayHaveLostLetters: Bool {
        // One pass the processor does 16 bytes at a time; most records end here.
        let union = bytes.reduce(0 as UInt8) { $0 | $1 }
        guard union >= 0x80 else { return false }
        guard let text = String(validating: bytes, as: UTF8.self) else { return true }
        return text.unicodeScalars.contains("\u{FFFD}")
    }

    private static func unescaped(_ content: ArraySlice<UInt8>, form: Field.Form) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        var isInQuotes = true
        var index = form == .trailed ? content.startIndex + 1 : content.startIndex
        while index < content.endIndex {
            let byte = content[index]
            index += 1
            if isInQuotes, byte == .quote {
                if index < content.endIndex, content[index] == .quote {
                    index += 1
                } else {
                    isInQuotes = false  // what follows was written behind the closing quote
                    continue
                }
            }
            result.append(byte)
        }
        return result
    }
}
