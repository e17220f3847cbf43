import StorageEngine

/// Checks declared records, their indexes, orders and links, and that no identifier is given out twice.
package struct LibraryVerifier: SnapshotVerifier {
    package let version: Version
    package let contents: LibraryContents
    package var known: KnownDamage
    var identifiers = CheckBuilder("identifiers")
    var appRecords = CheckBuilder("app records")
    var appOrders = CheckBuilder("app orders")

    /// The highest counter that a declared record has from this library's device.
    var highestAppCounter: UInt64 = 0

    package static func verify(_ snapshot: Snapshot) -> LibraryVerification {
        var known = KnownDamage()
        return LibraryVerification(checks: checks(of: snapshot, snapshot.version.contents, &known), damage: [])
    }

    /// All checks of a snapshot, those of the contents first.
    static func checks(
        of snapshot: Snapshot, _ contents: LibraryContents, _ known: inout KnownDamage
    ) -> [LibraryVerification.Check] {
        let checks = contents.verify(snapshot, &known)
        var verifier = LibraryVerifier(version: snapshot.version, contents: contents, known: known)
        verifier.verifyRecords()
        verifier.verifyIdentifiers()
        known = verifier.known
        return checks + [verifier.identifiers.check, verifier.appRecords.check, verifier.appOrders.check]
    }
}
