import RecordStore

/// A kind as one version of an app declares it. It has other fields under the numbers of `NewNote`.
struct OldNote: Record {
    var id: ID<OldNote> = .unassigned
    var amount: Money = 0
    enum CodingKeys: Int, CodingKey { case id = 0, amount = 2 }
    static let recordName = "ContradictingNote"
}

/// The same kind as another version declares it.
struct NewNote: Record {
    var id: ID<NewNote> = .unassigned
    var count = 0
    enum CodingKeys: Int, CodingKey { case id = 0, count = 2 }
    static let recordName = "ContradictingNote"
}
