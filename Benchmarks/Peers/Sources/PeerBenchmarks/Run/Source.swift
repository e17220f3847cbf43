import BookDB
import Foundation

/// The library that all stores are filled from, in the run's folder.
struct Source {
    private let options: Options
    private let folder: String

    init(_ options: Options) {
        self.options = options
        folder = options.runFolder
    }

    /// Made when it is not there yet.
    func prepare() async throws -> Plan {
        let home = FileTree(path: Context.home(folder, .stores, BookDBPeer.key))
        let path = home.path + "/store"
        if !home.exists {
            try home.make()
            if let library = options.library { try FileTree(path: library).copy(to: path) }
        }
        let store = try BookStore(at: path)
        if try store.snapshot.works.count == 0 { try await store.fill(withSample: options.works) }
        try await store.compact()
        try await Catalogue(folder: folder).write(store.snapshot, isFromSample: options.library == nil)
        try await store.close()
        var plan = try Plan.load(folder)
        plan.storeByteCount = home.byteCount()
        try plan.save(folder)
        return plan
    }
}
