/// Recognises by its first bytes what people mistake for comma-separated text.
enum ForeignFormat {
    /// How many bytes tell the format of a file that says what it is.
    static let signatureByteCount = 16

    /// The error for such a file; nil when its first line looks like text.
    static func recognise(start: [UInt8], header: ArraySlice<UInt8>) -> CSVError? {
        if start.isEmpty {
            return CSVError(reason: "it is empty", nextStep: "export your library again, and check the file's size")
        }
        for (signature, reason, nextStep) in signatures where start.starts(with: signature) {
            return CSVError(reason: reason, nextStep: nextStep)
        }
        if let position = header.firstIndex(of: 0) {
            return CSVError(
                reason: "byte \(position) is zero, which no text has",
                nextStep: "export the library as CSV in UTF-8 and import that file")
        }
        let text = header.drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
        if let first = text.first, let (reason, nextStep) = markups[first] {
            return CSVError(reason: reason, nextStep: nextStep)
        }
        return nil
    }

    private static let signatures: [(signature: [UInt8], reason: String, nextStep: String)] = [
        (
            [0x50, 0x4B, 0x03, 0x04], "it is a ZIP archive or a workbook of a spreadsheet",
            "unpack it, or open it in the spreadsheet and save it as CSV in UTF-8"
        ),
        ([0xD0, 0xCF, 0x11, 0xE0], "it is a workbook of an old spreadsheet", "open it and save it as CSV in UTF-8"),
        ([0x1F, 0x8B], "it is compressed with gzip", "unpack it: gzip -dc FILE | bookdb import LIBRARY -"),
        (Array("SQLite format 3".utf8), "it is an SQLite database", "export the books from its application as CSV"),
        (Array("%PDF".utf8), "it is a PDF document", "export the library as CSV"),
    ]

    private static let markups: [UInt8: (reason: String, nextStep: String)] = [
        UInt8(ascii: "<"): ("it begins like a web page or XML", "sign in where you download it, and export CSV"),
        UInt8(ascii: "{"): (
            "it begins like JSON", "bookdb import --lines takes what bookdb export has written; export others as CSV"
        ),
        UInt8(ascii: "["): ("it begins like JSON", "export the library as CSV"),
    ]
}
