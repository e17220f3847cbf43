import RecordStore
import StorageEngine
import Testing

/// A library in memory whose files a test changes byte by byte.
package struct DamageableLibrary<Library: RecordLibrary> {
    package static var path: String { "Library.bookdb" }

    package let fileSystem: MemoryFileSystem

    package init(fileSystem: MemoryFileSystem) { self.fileSystem = fileSystem }

    /// The same files once more.
    package func copy() throws -> DamageableLibrary {
        let copy = MemoryFileSystem()
        copy.createDirectory(Self.path)
        for name in try fileSystem.names(inDirectory: Self.path) {
            let target = try copy.openFile("\(Self.path)/\(name)", .creating)
            try write(bytes(of: "\(Self.path)/\(name)"), to: target)
        }
        return DamageableLibrary(fileSystem: copy)
    }

    // MARK: Files

    package var snapshotPath: String {
        get throws { try newest("snapshot-") }
    }

    package var logPath: String {
        get throws { try newest("log-") }
    }

    /// Where the commits of the newest log begin: at multiples of eight, with the same four bytes. Closing marks have another flag.
    package var frames: [Int] {
        get throws {
            let bytes = try bytes(of: logPath)
            return stride(from: 64, to: bytes.count - 4, by: 8).filter {
                bytes[$0..<$0 + 4].elementsEqual("BDFR".utf8) && bytes[$0 + 12] & 2 == 0
            }
        }
    }

    private func newest(_ prefix: String) throws -> String {
        let names = try fileSystem.names(inDirectory: Self.path).filter { $0.hasPrefix(prefix) }
        return try "\(Self.path)/\(#require(names.max()))"
    }

    package func bytes(of path: String) throws -> [UInt8] {
        let file = try fileSystem.openFile(path, .reading)
        var bytes = [UInt8](repeating: 0, count: try file.byteCount())
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    package func replace(_ path: String, with bytes: [UInt8]) throws {
        try write(bytes, to: fileSystem.openFile(path, .creating))
    }

    private func write(_ bytes: [UInt8], to file: any File) throws {
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }

    /// Flips a bit of a file; a second time puts it back.
    package func flip(_ byteOffset: Int, of path: String, mask: UInt8 = 1) throws {
        let file = try fileSystem.openFile(path, .writing)
        let byte = [try bytes(of: path)[byteOffset] ^ mask]
        try byte.withUnsafeBytes { try file.write($0, at: byteOffset) }
    }

    /// Flips a bit of a page that is in use.
    package func flip(page: Int) throws { try flip(page * 4096 + 33, of: snapshotPath) }

    /// Flips a bit in the first occurrence of a text in the snapshot.
    package func flip(_ text: String) throws {
        let bytes = try bytes(of: snapshotPath)
        let pattern = Array(text.utf8)
        let found = (0..<bytes.count - pattern.count).first { bytes[$0..<$0 + pattern.count].elementsEqual(pattern) }
        let place = found ?? Self.packedEntry(with: pattern, bytes) ?? Self.codedValue(with: pattern, bytes)
        try flip(#require(place), of: snapshotPath)
    }

    /// Where the first value lies that has a text and is written in symbols.
    private static func codedValue(with pattern: [UInt8], _ bytes: [UInt8]) -> Int? {
        func number(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
        for start in stride(from: 0, to: bytes.count - 4095, by: 4096) where bytes[start] == 6 {
            let symbols = 4096 * number(start + 40)
            guard symbols > 0, number(start + 34) == 0xFFFF else { continue }
            let (count, ownCount) = (number(start + 2), number(start + 36))
            let ends = start + 48 + Int(bytes[start + 1]) * ((count + 63) / 64) * 8
            var from = ends + 2 * count + number(start + 32) + ownCount * (count + 1)
            for index in 0..<count {
                let end = start + number(ends + 2 * index)
                var value: [UInt8] = []
                var place = from
                while place < end {
                    if bytes[place] == 255 {
                        place += 1
                        value.append(bytes[place])
                    } else {
                        let symbol = symbols + 40 + 8 * Int(bytes[place])
                        value += bytes[symbol..<symbol + Int(bytes[symbols + 2088 + Int(bytes[place])])]
                    }
                    place += 1
                }
                let starts = 0..<max(0, value.count - pattern.count + 1)
                if starts.contains(where: { value[$0..<$0 + pattern.count].elementsEqual(pattern) }) { return from }
                from = end
            }
        }
        return nil
    }

    /// Where an own byte lies of the first entry of a packed page whose key or value has a text: there the text itself may lie in pieces.
    private static func packedEntry(with pattern: [UInt8], _ bytes: [UInt8]) -> Int? {
        func number(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
        for start in stride(from: 0, to: bytes.count - 4095, by: 4096) where bytes[start] == 6 {
            let (count, valueCount, ownCount) = (number(start + 2), number(start + 34), number(start + 36))
            // Values of several lengths lie in one piece.
            guard valueCount != 0xFFFF, ownCount > 0 else { continue }
            let shared = start + 48 + Int(bytes[start + 1]) * ((count + 63) / 64) * 8
            let places = shared + number(start + 32) + valueCount
            for entry in stride(from: places + ownCount, to: places + ownCount * (count + 1), by: ownCount) {
                var whole = Array(bytes[shared..<places])
                for own in 0..<ownCount { whole[Int(bytes[places + own])] = bytes[entry + own] }
                let ends = pattern.count...max(pattern.count, whole.count)
                if ends.contains(where: { $0 <= whole.count && whole[..<$0].suffix(pattern.count) == pattern[...] }) {
                    return entry
                }
            }
        }
        return nil
    }

    // MARK: Library

    package func open(_ access: RecordLibrary.Access = .exclusive) throws -> Library {
        try Library(Library.open(Self.path, LibrarySettings(access, fileSystem: fileSystem)))
    }

    package func verify() throws -> LibraryVerification { try Library.verify(at: Self.path, fileSystem: fileSystem) }

    /// Repairs it, and gives the new library with what was told of it.
    package func repaired(at output: String = "Saved.bookdb") async throws -> (store: Library, report: RepairReport) {
        let report = try await Library.repair(at: Self.path, to: output, fileSystem: fileSystem)
        return (
            try Library(
                Library.open(output, LibrarySettings(.readOnly, fileSystem: fileSystem)), buildsOrders: false),
            report
        )
    }
}
