import ArgumentParser

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "The version of bookdb.")

    func run() throws {
        try Output.print("bookdb \(BookDBCommand.Version.current)")
    }
}
