import ArgumentParser

struct HelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "help",
        abstract: "Help on a command, or on formats, exit-codes, json."
    )

    @Argument(help: "A command, or one of formats, exit-codes, json.")
    var topic: String?

    func run() throws {
        guard let topic else {
            try Output.print(BookDBCommand.helpMessage())
            return
        }
        if let text = HelpTopic(rawValue: topic)?.text {
            try Output.print(text)
        } else if let command = BookDBCommand.configuration.subcommands.first(where: {
            $0.configuration.commandName == topic
        }) {
            try Output.print(BookDBCommand.helpMessage(for: command))
        } else {
            let known = BookDBCommand.commandNames + HelpTopic.allCases.map(\.rawValue)
            guard let meant = NearMiss.closest(to: topic, among: known) else {
                throw CommandFailure.wrongUsage("There is no help on '\(topic)'.", next: "bookdb --help")
            }
            throw CommandFailure.wrongUsage(
                "There is no help on '\(topic)'. Did you mean '\(meant)'?", next: "bookdb help \(meant)")
        }
    }
}
