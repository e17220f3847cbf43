/// A work as every store is given it and gives it back.
struct WorkRecord: Codable, Sendable {
    var id: Int64
    var title: String
    var subtitle: String?
    var originalTitle: String?
    var sortTitle: String?
    var language: String?
    var year: Int?
    var coverURL: String?
    var description: String?
    var subjects: [String]
    var series: [SeriesRecord]
    var review: Int
    /// Milliseconds since 1970.
    var added: Int
    var authors: [Int64]
}

struct SeriesRecord: Codable, Sendable {
    var name: String
    var number: String?
}

extension WorkRecord: Packed {
    init(from bytes: inout Unpacker) {
        id = Int64(bytes.number())
        title = bytes.text()
        subtitle = bytes.optionalText()
        originalTitle = bytes.optionalText()
        sortTitle = bytes.optionalText()
        language = bytes.optionalText()
        year = bytes.optionalNumber()
        coverURL = bytes.optionalText()
        description = bytes.optionalText()
        subjects = bytes.list { $0.text() }
        series = bytes.list()
        review = bytes.number()
        added = bytes.number()
        authors = bytes.list { Int64($0.number()) }
    }

    func pack(into packer: inout Packer) {
        packer.add(Int(id))
        packer.add(title)
        packer.add(subtitle)
        packer.add(originalTitle)
        packer.add(sortTitle)
        packer.add(language)
        packer.add(year)
        packer.add(coverURL)
        packer.add(description)
        packer.add(subjects) { $0.add($1) }
        packer.add(series)
        packer.add(review)
        packer.add(added)
        packer.add(authors) { $0.add(Int($1)) }
    }
}

extension SeriesRecord: Packed {
    init(from bytes: inout Unpacker) {
        name = bytes.text()
        number = bytes.optionalText()
    }

    func pack(into packer: inout Packer) {
        packer.add(name)
        packer.add(number)
    }
}
