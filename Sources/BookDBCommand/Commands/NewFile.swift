/// A file that a command makes, and never overwrites: under its name is all of it or nothing. Until then it is beside that, a number that no other command
/// has and `.unfinished`: what one that was killed has left is in nobody's way, and the name may be as long as the system lets it be.
struct NewFile {
    private let path: String
    private let unfinished: String
    private let descriptor: Int32

    /// - Parameter library: whose contents go into it. The file is for those only who may read the library.
    init(_ path: String, from library: String? = nil) throws(CommandFailure) {
        try Self.requireNew(path)
        self.path = path
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(decoding: path.utf8[...$0], as: UTF8.self) } ?? ""
        unfinished = folder + String(UInt64.random(in: 0 ... .max), radix: 16) + ".unfinished"
        do throws(SystemCalls.Failure) {
            descriptor = try SystemCalls.create(unfinished, forReadersOf: library)
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// Makes what is written durable, and gives the file its name. Where that fails nothing is left of it: half a file is of no use.
    func fill<Success>(_ write: (inout Output) throws -> Success) throws -> Success {
        do {
            var output = Output(descriptor: descriptor, name: path)
            let result = try write(&output)
            try output.flush()
            try finish()
            return result
        } catch {
            discard()
            throw error
        }
    }

    func discard() { SystemCalls.removeFile(unfinished) }

    private func finish() throws(CommandFailure) {
        do throws(SystemCalls.Failure) {
            try SystemCalls.finish(descriptor)
            try SystemCalls.move(unfinished, toNew: path)
        } catch {
            if error == .exists { throw Self.exists(path) }
            throw CommandFailure(
                status: .inputOutput, sentence: "\(path) could not be written to the end: \(error.words).",
                next: "check the disk")
        }
    }

    /// Before any work is done: a file can be made under this name.
    static func requireNew(_ path: String) throws(CommandFailure) {
        guard !path.isEmpty else {
            throw .wrongUsage("The file to write has an empty name.", next: "name a file that does not exist yet")
        }
        if SystemCalls.exists(path) { throw exists(path) }
        if let tooLong = SystemCalls.tooLong(path) { throw failure(path, tooLong) }
    }

    private static func exists(_ path: String) -> CommandFailure {
        CommandFailure(
            status: .exists, sentence: "\(path) exists; it was not overwritten.",
            next: "name another file, or remove it first")
    }

    private static func failure(_ path: String, _ failure: SystemCalls.Failure) -> CommandFailure {
        if failure == .exists { return exists(path) }
        if failure == .absent {
            return CommandFailure(
                status: .notFound, sentence: "There is no folder to write \(path) in.", next: "check the path")
        }
        return CommandFailure(
            status: failure.isOfPermission ? .notPermitted : .inputOutput,
            sentence: "\(path) could not be created: \(failure.words).",
            next: failure == .nameTooLong ? "name a shorter one" : "check the permissions of its folder")
    }
}
