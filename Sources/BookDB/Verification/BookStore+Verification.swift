import StorageEngine

extension BookStore {
    /// Checks a library from the first byte to the last promise: its files, then what the library derives from its
    /// records. Takes no lock and changes nothing; an app may have the library open.
    ///
    /// Reads everything: seconds for a large library, so not for the main actor.
    ///
    /// - Throws: `BookError.notFound`, `.notALibrary`, `.tooNew`, `.notPermitted` or `.inputOutput` when there is
    ///   nothing to check. Damage is no error here but the answer.
    public static func verify(at path: String) throws(BookError) -> LibraryVerification {
        try verify(at: path, fileSystem: PosixFileSystem())
    }

    static func verify(at path: String, fileSystem: any FileSystem) throws(BookError) -> LibraryVerification {
        let report: VerificationReport
        do {
            report = try Verifier.verify(at: path, fileSystem: fileSystem)
        } catch {
            throw BookError(error)
        }
        var verification = LibraryVerification(report)
        do {
            let snapshot = try BookStore(at: path, access: .readOnly, fileSystem: fileSystem).snapshot
            verification.checks += LibraryVerifier.verify(snapshot).checks
            verification.damage += report.treeFindings.map { DamagedRange($0, in: snapshot).sentence }
        } catch .damaged(let finding) {
            // So much is damaged that the library does not open; the files' findings say what.
            verification.damage += report.treeFindings.map(\.damage.description)
            if verification.damage.isEmpty { verification.damage.append(finding) }
        }
        return verification
    }

    /// Compares the lists, orders, counts and indexes with the records they are made from, over one snapshot.
    ///
    /// Reads everything, off the caller's actor; writing goes on meanwhile. O(n log n). The files themselves are checked
    /// by `verify(at:)`.
    @concurrent
    public func verify() async -> LibraryVerification {
        LibraryVerifier.verify(snapshot)
    }
}

extension LibraryVerification {
    /// The checks of the files, without those of the library in them.
    fileprivate init(_ report: VerificationReport) {
        checks = report.checks.map { check in
            let (name, detail) = check.name.inWords(check.itemCount)
            return Check(name: name, detail: detail, problemCount: check.findingCount, items: [])
        }
        damage = report.damage.map(\.description)
        if report.tornByteCount > 0, let log = checks.firstIndex(where: { $0.name == "log" }) {
            let torn = "\(report.tornByteCount) bytes of an unfinished write at its end, which was never acknowledged"
            checks[log] = Check(
                name: checks[log].name, detail: checks[log].detail + "; " + torn,
                problemCount: checks[log].problemCount, items: [])
        }
    }
}

extension VerificationReport.Check.Name {
    /// The name people read, and what was looked at.
    fileprivate func inWords(_ count: Int) -> (name: String, detail: String) {
        switch self {
        case .superblock: ("file heads", "both copies agree")
        case .checksums: ("checksums", count == 1 ? "1 page" : "\(count) pages")
        case .order: ("key order", "\(count) entries ascend and are counted right")
        case .cold: ("text blocks", count == 1 ? "1 block" : "\(count) blocks")
        case .log: ("log", "\(count) commits, each chained to the one before")
        }
    }
}
