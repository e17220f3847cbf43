/// Where bytes are that a companion's writer has set aside.
package struct BytesAside: Sendable {
    let byteOffset: Int
    let byteCount: Int
    let checksum: UInt32
}
