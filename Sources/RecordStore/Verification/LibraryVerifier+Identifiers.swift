import StorageEngine

extension LibraryVerifier {
    mutating func verifyIdentifiers() {
        identifiers.detail = "none was given out twice"
        attempt(\.identifiers) { (verifier) throws(LibraryError) in
            guard let meta = try LibraryMeta(verifier.version) else { return }
            if !meta.hasPossibleDevice {
                verifier.identifiers.report("The library's device is \(meta.device), which no identifier can have.")
            }
            guard verifier.highestAppCounter >= meta.nextCounter else { return }
            verifier.identifiers.report(
                "A record of the app has the counter \(verifier.highestAppCounter), and the next to be given out is "
                    + "\(meta.nextCounter).")
        }
        for kind in contents.kinds {
            attempt(\.identifiers) { (verifier) throws(LibraryError) in
                guard let meta = try LibraryMeta(verifier.version), meta.hasPossibleDevice else { return }
                let lastKey = try verifier.lastKey(of: kind.tree, below: (meta.device + 1) << IDLayout.counterBitCount)
                let last = ID<AppRecord>(rawValue: lastKey?.number(at: 0) ?? 0)
                if UInt64(last.device) == meta.device, last.counter >= meta.nextCounter {
                    verifier.identifiers.report(
                        "\(last) is in use, and the next to be given out is \(meta.nextCounter).")
                }
            }
        }
    }

    private func lastKey(of tree: TreeNumber, below end: UInt64) throws(LibraryError) -> [UInt8]? {
        var last: [UInt8]?
        try translatingErrors {
            try version.scan(tree, after: .bigEndian(end), descending: true) { key, _ in
                last = key.copyBytes(0..<key.byteCount)
                return false
            }
        }
        return last
    }
}
