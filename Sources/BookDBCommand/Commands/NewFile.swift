/// Files that a command makes and never overwrites.
enum NewFile {
    static func write(_ text: String, to path: String) throws(CommandFailure) {
        let descriptor = try create(path)
        try filling(path) { () throws(CommandFailure) in
            var output = Output(descriptor: descriptor, name: path)
            try output.write(text)
            try output.flush()
            try finish(descriptor, path)
        }
    }

    /// Takes a file away again that could not be written to the end: half a file is of no use, and in the way next time.
    static func filling<Success, Failure: Error>(
        _ path: String, _ write: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        do throws(Failure) {
            return try write()
        } catch {
            SystemCalls.removeFile(path)
            throw error
        }
    }

    /// Opens a file that does not exist yet.
    ///
    /// - Parameter library: whose contents go into it. The file is for those only who may read the library.
    static func create(_ path: String, from library: String? = nil) throws(CommandFailure) -> Int32 {
        do throws(SystemCalls.Failure) {
            return try SystemCalls.create(path, forReadersOf: library)
        } catch {
            throw failure(path, error)
        }
    }

    /// Makes it durable and closes it.
    static func finish(_ descriptor: Int32, _ path: String) throws(CommandFailure) {
        do throws(SystemCalls.Failure) {
            try SystemCalls.finish(descriptor)
        } catch {
            throw CommandFailure(
                status: .inputOutput, sentence: "\(path) could not be written to the end: \(error.words).",
                next: "check the disk")
        }
    }

    static func exists(_ path: String) -> CommandFailure {
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
            next: "check the permissions of its folder")
    }
}
