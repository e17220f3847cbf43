@testable import BookImport
import Testing

@Suite struct CSVReaderTests {
    @Test func `lines may end in CRLF, LF and CR within one file`() throws {
        #expect(
            try records(of: "a,b\r\n1,2\n3,4\r5,6\r\n\r\n7,8")
                == [
                    ReadRecord(1, "a", "b"), ReadRecord(2, "1", "2"), ReadRecord(3, "3", "4"), ReadRecord(4, "5", "6"),
                    ReadRecord(6, "7", "8"),
                ])
    }

    @Test func `a quoted field holds separators, doubled quotes and line breaks`() throws {
        let text = "a,b\n\"x, y\",\"say \"\"hi\"\"\"\n\"one\ntwo\r\nthree\rfour\",z\nlast,row\n"
        #expect(
            try records(of: text)
                == [
                    ReadRecord(1, "a", "b"), ReadRecord(2, "x, y", "say \"hi\""),
                    ReadRecord(3, "one\ntwo\r\nthree\rfour", "z"), ReadRecord(7, "last", "row"),
                ])
    }

    @Test func `a bare quote within an unquoted field is a letter like any other`() throws {
        #expect(
            try records(of: "a,b,c\n=\"1401249000\",5\"10,x\"\"y\n")
                == [ReadRecord(1, "a", "b", "c"), ReadRecord(2, "=\"1401249000\"", "5\"10", "x\"\"y")])
    }

    @Test func `text behind a closing quote is kept`() throws {
        #expect(
            try records(of: "a,b\n\"x\"y,\"5\"\" disk\" old\n\"\"q,\"\"\n")
                == [ReadRecord(1, "a", "b"), ReadRecord(2, "xy", "5\" disk old"), ReadRecord(3, "q", "")])
    }

    @Test func `a spreadsheet's formula in quotes keeps its own quotes`() throws {
        #expect(
            try records(of: "a,b\n\"=\"\"0062445316\"\"\",\"=\"\"\"\"\"\n")
                == [ReadRecord(1, "a", "b"), ReadRecord(2, "=\"0062445316\"", "=\"\"")])
    }

    @Test(arguments: [(";", CSVSeparator.semicolon), ("\t", .tab), (",", .comma)])
    func `the separator is found out from the header`(text: String, separator: CSVSeparator) throws {
        let table = "Titel,\(text)Autor\(text)\"ISBN,;\t,,;;\"\nx\(text)y\(text)z\n".replacing("Titel,", with: "Titel")
        let read = try records(of: table)
        #expect(read == [ReadRecord(1, "Titel", "Autor", "ISBN,;\t,,;;"), ReadRecord(2, "x", "y", "z")])
        #expect(try records(of: table, separator: separator) == read)
    }

    @Test func `a given separator wins over the header`() throws {
        #expect(try records(of: "a;b,c\n1;2,3\n", separator: .semicolon)[1] == ReadRecord(2, "1", "2,3"))
    }

    @Test(arguments: ["sep=;\n", "sep=;\r\n", "\u{FEFF}sep=;\r\n", "sep=;\r"])
    func `a line that names the separator is no record`(start: String) throws {
        #expect(try records(of: start + "a,x;b\n1;2") == [ReadRecord(2, "a,x", "b"), ReadRecord(3, "1", "2")])
    }

    @Test func `a byte-order mark is no text`() throws {
        #expect(
            try records(of: "\u{FEFF}\"a\",b\n1,2") == [ReadRecord(1, "a", "b"), ReadRecord(2, "1", "2")])
    }

    @Test func `trailing commas are empty fields and blank lines are no records`() throws {
        #expect(
            try records(of: "a,b,\n\n1,2,\n\"\"\n,\n\n\n")
                == [ReadRecord(1, "a", "b", ""), ReadRecord(3, "1", "2", ""), ReadRecord(4, ""), ReadRecord(5, "", "")])
    }

    @Test(arguments: ["a,b\n1,\"2", "a,b\n1,\"2\n", "a,b\n1,\"2\r"])
    func `a quote open at the end is named with its line`(text: String) throws {
        let last = try #require(try records(of: text).last)
        #expect(last.problem == .unclosedQuote(line: 2, skippedThrough: nil))
        #expect(last.fields == ["1", "\"2"])
    }

    @Test func `a quote that never closes costs its own record and no other`() throws {
        var limits = CSVReader.Limits()
        limits.fieldByteCount = 64
        let rows = (4..<40).map { "\($0),plain\n" }.joined()
        let read = try records(of: Array("a,b\n2,ok\n3,\"stray\n\(rows)".utf8), limits: limits)
        #expect(read.count == 39)
        #expect(read[2].problem == .longQuote(line: 3, skippedThrough: nil))
        #expect(read[2].fields == ["3", "\"stray"])
        #expect(read[3].isRescanned)
        #expect(!read[38].isRescanned)
        #expect(read.dropFirst(3).map(\.line) == Array(4..<40))
        #expect(read.dropFirst(3).allSatisfy { $0.problem == nil && $0.fields == ["\($0.line)", "plain"] })
    }

    @Test func `a field without end is cut and the next line read`() throws {
        var limits = CSVReader.Limits()
        limits.fieldByteCount = 100
        let long = String(repeating: "x", count: 5_000)
        let read = try records(of: Array("a,b\n1,\(long)\n2,\"\(long)\"\n3,ok\n".utf8), limits: limits)
        #expect(read.map(\.line) == [1, 2, 3, 4])
        #expect(read[1].problem == .tooLong(skippedThrough: nil))
        #expect(read[2].problem == .longQuote(line: 3, skippedThrough: nil))
        #expect(read[3] == ReadRecord(4, "3", "ok"))
    }

    @Test func `a field as long as the limit allows is read whole`() throws {
        var limits = CSVReader.Limits()
        limits.fieldByteCount = 101
        let field = String(repeating: "x", count: 100)
        #expect(try records(of: Array("a\n\(field)\nb\n".utf8), limits: limits)[1] == ReadRecord(2, field))
    }

    @Test func `stray quotes on every line take time in proportion to the file`() throws {
        var limits = CSVReader.Limits()
        limits.fieldByteCount = 4096
        limits.recordByteCount = 4096
        let bytes = Array("a,b\n".utf8) + Array(repeatElement(Array("x\",\",y\n".utf8), count: 20_000).joined())
        let read = try records(of: bytes, limits: limits)
        #expect(read.count < 20_000)
        #expect(read.contains { if case .tooLong(.some) = $0.problem { true } else { false } })
    }

    @Test func `bytes that are not UTF-8 are replaced and told`() throws {
        var reader = CSVReader()
        var record = CSVRecord()
        reader.append(Array("a,b\nMi\u{E9}ville,x\n".utf8) + [0x4D, 0x69, 0xE9, 0x2C, 0x79])
        reader.finish()
        #expect(try reader.next(into: &record))
        #expect(!record.mayHaveLostLetters)
        #expect(try reader.next(into: &record))
        #expect(!record.mayHaveLostLetters)
        #expect(try reader.next(into: &record))
        #expect(record.mayHaveLostLetters)
        #expect(record.text(at: 0) == "Mi\u{FFFD}")
        #expect(record.text(at: 1) == "y")
    }

    @Test func `a zero byte spoils its own record`() throws {
        let read = try records(of: Array("a,b\n1,2\n3,\u{0}\n\"5\u{0}\",6\n7,8\n".utf8))
        #expect(read.map(\.problem) == [nil, nil, .holdsNUL, .holdsNUL, nil])
    }

    @Test(arguments: [
        ([0x50, 0x4B, 0x03, 0x04, 0x14, 0x00], "workbook"), ([0x1F, 0x8B, 0x08], "gzip"),
        (Array("SQLite format 3\u{0}".utf8), "SQLite"), (Array("<!DOCTYPE html>".utf8), "web page"),
        (Array(" {\"a\": 1}".utf8), "JSON"), ([0x7F, 0x45, 0x4C, 0x46, 0x00], "zero"), ([], "empty"),
    ])
    func `a file that is no CSV is named for what it is`(bytes: [UInt8], word: String) throws {
        for chunkSize in [1, 3, Int.max] {
            let error = #expect(throws: CSVError.self) { try records(of: bytes, chunkSize: chunkSize) }
            #expect(error?.description.contains(word) == true)
            #expect(error?.nextStep.isEmpty == false)
        }
    }

    @Test func `the record is the text of the file`() throws {
        var reader = CSVReader()
        var record = CSVRecord()
        reader.append(Array("a,b\n\"x\"\"y\" ,=\"1\"\r\n".utf8))
        #expect(try reader.next(into: &record))
        #expect(try reader.next(into: &record))
        #expect(record.raw == "\"x\"\"y\" ,=\"1\"")
        #expect(record.text(at: 7) == "")
        #expect(record.isEmpty(at: 7))
        #expect(record.text(at: -1) == "")
    }
}
