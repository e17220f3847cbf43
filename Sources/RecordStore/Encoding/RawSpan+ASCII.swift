import StorageEngine

extension RawSpan {
    var isASCII: Bool {
        for index in 0..<byteCount where loadLittleEndian(at: index, as: UInt8.self) >= 0x80 { return false }
        return true
    }
}
