extension File {
    /// A segment's bytes, which a writer may be appending to meanwhile.
    ///
    /// One read is not one moment: it may see a frame half written and the next one whole, whose watermark then makes rot of
    /// the first. Rot is believed when another look finds the same bytes.
    func readSegment(watermark: UInt64) throws(StorageError) -> [UInt8] {
        var bytes = try read(byteCount: try byteCount(), at: 0)
        for _ in 0..<3 {
            let isRotten = bytes.withBytes { bytes in
                guard let scan = try? LogScan(bytes, path: path, watermark: watermark) else { return true }
                if case .rotten = scan.ending { return true }
                return false
            }
            guard isRotten else { break }
            let again = try read(byteCount: try byteCount(), at: 0)
            if again == bytes { break }
            bytes = again
        }
        return bytes
    }
}
