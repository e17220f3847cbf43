import BookDB
import Synchronization

/// Ways to open the library a command is about.
enum LibraryAccess {
    private static let damage = Atomic(false)

    /// Whether what was read is of an earlier commit than the library's last, since its log is damaged behind that.
    static var hasMetDamage: Bool { damage.load(ordering: .relaxed) }

    /// Reading takes no lock: it works while an app has the library open.
    static func reading(_ path: String) throws(LibraryError) -> BookStore {
        let store = try BookStore(at: path, access: .readOnly)
        if let damage = store.opening.damage {
            self.damage.store(true, ordering: .relaxed)
            StandardError.say(
                "The log of \(path) is damaged, and what follows is as of commit \(store.snapshot.commitNumber): "
                    + "\(damage.finding).\n→ bookdb repair \(word: path) --output NEW   saves what can be saved")
        }
        return store
    }

    /// Opens a library to change it beside apps that share it. A mistyped path makes no new library.
    static func changing(_ path: String) throws -> BookStore {
        guard !SystemCalls.isAbsent(path) else { throw LibraryError.notFound(path: path) }
        return try shared(path)
    }

    /// The same, or begins a new one, which nobody shares until it is there.
    static func changingOrCreating(_ path: String) throws -> BookStore {
        guard SystemCalls.isAbsent(path) else { return try shared(path) }
        return try alone(path)
    }

    /// Opens a library that nobody else may write to meanwhile, or begins one.
    static func alone(_ path: String) throws -> BookStore {
        do throws(LibraryError) {
            return try BookStore(at: path)
        } catch {
            throw cannotBegin(path, error) ?? error
        }
    }

    /// An app that has not opened its library as shared keeps it for itself as long as it is open.
    private static func shared(_ path: String) throws -> BookStore {
        do throws(LibraryError) {
            return try BookStore(at: path, access: .shared)
        } catch {
            throw CommandFailure.inUse(error) ?? error
        }
    }

    /// Why there is no library yet and none can be made, where that is what the error means.
    private static func cannotBegin(_ path: String, _ error: LibraryError) -> (any Error)? {
        guard SystemCalls.isAbsent(path) else { return nil }
        switch error {
        case .notPermitted:
            return CommandFailure(
                status: .notPermitted, sentence: "\(path) cannot be begun: permission denied.",
                next: "check the owner and the permissions of its folder")
        case .readOnly:
            return CommandFailure(
                status: .notPermitted, sentence: "\(path) cannot be begun: its folder can only be read.",
                next: "begin it on a disk that can be written")
        default: return nil
        }
    }
}
