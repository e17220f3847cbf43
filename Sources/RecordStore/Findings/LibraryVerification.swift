/// What a verification of a library found: every check by name, whether it passed or not.
public struct LibraryVerification: Sendable {
    /// One promise of a library, checked over all of it.
    public struct Check: Sendable, Equatable {
        /// Such as `list rows`.
        public let name: String

        public var passed: Bool { problemCount == 0 }

        /// What was compared, in words: "12 records, 12 rows".
        public let detail: String

        public let problemCount: Int

        /// The first problems, each a sentence that names the record as people do where it can.
        public let items: [String]

        /// What could not be looked at, because it lies in or below a damaged place.
        public internal(set) var uncheckedCount = 0
    }

    public internal(set) var checks: [Check]

    /// Places in the files whose bytes are not what was written; empty when every checksum is right.
    public internal(set) var damage: [DamagedPlace]

    public var isSound: Bool { damage.isEmpty && checks.allSatisfy(\.passed) }
}
