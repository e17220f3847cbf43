/// An edition as every store is given it and gives it back.
struct EditionRecord: Codable, Sendable {
    var id: Int64
    var work: Int64
    var isbns: [Int]
    var unparsedISBN: String?
    var title: String?
    var publisher: String?
    var pageCount: Int?
    var format: String?
    var year: Int?
    var language: String?
    var identifiers: [IdentifierRecord]
}

struct IdentifierRecord: Codable, Sendable {
    var source: String
    var value: String
}

extension EditionRecord: Packed {
    init(from bytes: inout Unpacker) {
        id = Int64(bytes.number())
        work = Int64(bytes.number())
        isbns = bytes.list { $0.number() }
        unparsedISBN = bytes.optionalText()
        title = bytes.optionalText()
        publisher = bytes.optionalText()
        pageCount = bytes.optionalNumber()
        format = bytes.optionalText()
        year = bytes.optionalNumber()
        language = bytes.optionalText()
        identifiers = bytes.list()
    }

    func pack(into packer: inout Packer) {
        packer.add(Int(id))
        packer.add(Int(work))
        packer.add(isbns) { $0.add($1) }
        packer.add(unparsedISBN)
        packer.add(title)
        packer.add(publisher)
        packer.add(pageCount)
        packer.add(format)
        packer.add(year)
        packer.add(language)
        packer.add(identifiers)
    }
}

extension IdentifierRecord: Packed {
    init(from bytes: inout Unpacker) {
        source = bytes.text()
        value = bytes.text()
    }

    func pack(into packer: inout Packer) {
        packer.add(source)
        packer.add(value)
    }
}
