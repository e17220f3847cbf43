import RecordStore
import StorageEngine

extension Snapshot {
    /// Gives out all books as lines of JSON: the authors, then works, editions and entries, each by ascending identifier.
    func exportBooks(to emit: (String) throws -> Void) throws {
        try forEachIdentifier(of: .authors) { id in
            if let author = try version.author(ID(rawValue: id)) { try emit(author.jsonLine()) }
        }
        try forEachIdentifier(of: .works) { id in
            if let work = try version.work(ID(rawValue: id)) { try emit(work.jsonLine()) }
        }
        try forEachIdentifier(of: .editions) { id in
            if let edition = try version.edition(ID(rawValue: id)) { try emit(edition.jsonLine()) }
        }
        try forEachIdentifier(of: .entries) { id in
            if let entry = try version.entry(of: ID(rawValue: id)) { try emit(entry.jsonLine()) }
        }
    }
}
