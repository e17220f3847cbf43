/// An author as every store is given it and gives it back.
struct AuthorRecord: Codable, Sendable {
    var id: Int64
    var name: String
    var sortName: String
}

extension AuthorRecord: Packed {
    init(from bytes: inout Unpacker) {
        id = Int64(bytes.number())
        name = bytes.text()
        sortName = bytes.text()
    }

    func pack(into packer: inout Packer) {
        packer.add(Int(id))
        packer.add(name)
        packer.add(sortName)
    }
}
