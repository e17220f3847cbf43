import StorageEngine

extension RecordLibrary {
    /// Checks a library from the first byte to the last promise: its files, then what the library derives from its
    /// records. Takes no lock and changes nothing; an app may have the library open.
    ///
    /// Reads everything: seconds for a large library, so not for the main actor.
    ///
    /// - Throws: `LibraryError.notFound`, `.notALibrary`, `.tooNew`, `.notPermitted` or `.inputOutput` when there is
    ///   nothing to check; `.cancelled`. Damage is no error here but the answer.
    public static func verify(at path: String) throws(LibraryError) -> LibraryVerification {
        try verify(at: path, fileSystem: PosixFileSystem())
    }

    package static func verify(at path: String, fileSystem: any FileSystem) throws(LibraryError) -> LibraryVerification
    {
        let report = try translatingErrors { try Verifier.verify(at: path, fileSystem: fileSystem) }
        var verification = LibraryVerification(report)
        let contents = contents
        var known = KnownDamage(report) { contents.part(of: $0).isOriginal }
        var snapshot: Snapshot?
        do throws(LibraryError) {
            var settings = LibrarySettings(.readOnly, fileSystem: fileSystem)
            settings.takesOutdated = true
            let opened = Snapshot(try open(path, settings).database.version)
            verification.checks += LibraryVerifier.checks(of: opened, contents, &known)
            guard !Task.isCancelled else { throw .cancelled }
            if let check = searchFileCheck(of: opened.version, at: path, fileSystem) {
                verification.checks.append(check)
            }
            snapshot = opened
        } catch {
            guard case .damaged(let finding) = error else { throw error }
            // So much is damaged that the library does not open; the files' findings say what.
            verification.checks.append(
                .init(name: "opening", detail: "the library does not open", problemCount: 1, items: [finding]))
        }
        guard !report.isSound else { return verification }
        let survey = DamageSurvey(
            report, known, try? Salvage(at: path, fileSystem: fileSystem).report, snapshot,
            try? StoreInspection(at: path, fileSystem: fileSystem), of: contents)
        verification.damage = survey.places
        guard !Task.isCancelled else { throw .cancelled }
        return verification
    }

    /// Whether the search file says what the rows do; `nil` where there is none that searches use.
    private static func searchFileCheck(
        of version: Version, at path: String, _ fileSystem: any FileSystem
    ) -> LibraryVerification.Check? {
        let isAsMade = contents.companion?(0).isAsMade(
            of: version, in: path, fileSystem, where: SearchFile.isOfTheseRules)
        guard let isAsMade else { return nil }
        let finding =
            "It says other things than the rows, so searches may find others. → bookdb compact writes a new one"
        return LibraryVerification.Check(
            name: "search file", detail: "the same as one made of the rows", problemCount: isAsMade ? 0 : 1,
            items: isAsMade ? [] : [finding])
    }

    /// Compares the lists, orders, counts and indexes with the records they are made from, over one snapshot.
    ///
    /// Reads everything, off the caller's actor; writing goes on meanwhile. O(n log n). Waits for a library that is being opened. The files
    /// themselves are checked by `verify(at:)`.
    ///
    /// - Throws: `LibraryError.cancelled` soon after the task was cancelled; as `ready` does where nothing of the library can be read. Damage is no
    ///   error here but the answer.
    @concurrent
    public func verify() async throws(LibraryError) -> LibraryVerification {
        try await ready()
        let verification = LibraryVerifier.verify(snapshot)
        guard !Task.isCancelled else { throw .cancelled }
        return verification
    }
}

extension LibraryVerification {
    /// The checks of the files, without those of the library in them.
    fileprivate init(_ report: VerificationReport) {
        checks = report.checks.map { check in
            let (name, detail) = check.name.inWords(check.itemCount, damaged: check.findingCount)
            return Check(name: name, detail: detail, problemCount: check.findingCount, items: [])
        }
        damage = []
        if report.tornByteCount > 0, let log = checks.firstIndex(where: { $0.name == "log" }) {
            let torn =
                "\(report.tornByteCount) bytes of an unfinished write at its end, which nothing says was acknowledged"
            checks[log] = Check(
                name: checks[log].name, detail: checks[log].detail + "; " + torn,
                problemCount: checks[log].problemCount, items: [])
        }
    }
}

extension VerificationReport.Check.Name {
    /// The name people read, and what was looked at.
    fileprivate func inWords(_ count: Int, damaged: Int) -> (name: String, detail: String) {
        switch self {
        case .superblock: ("file heads", damaged == 0 ? "both copies agree" : "\(damaged) of 2 copies damaged")
        case .checksums:
            ("checksums", damaged == 0 ? Self.count(count, "page") : "\(damaged) of \(count) pages damaged")
        case .order: ("key order", "\(count) entries ascend and are counted right")
        case .cold:
            ("text blocks", damaged == 0 ? Self.count(count, "block") : "\(damaged) damaged, \(count) sound")
        case .log:
            ("log", "\(Self.count(count, "commit"))" + (damaged == 0 ? ", each chained to the one before" : " read"))
        }
    }

    private static func count(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
}
