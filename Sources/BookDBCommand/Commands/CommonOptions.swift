import ArgumentParser

/// What every command that answers understands.
struct CommonOptions: ParsableArguments {
    @Flag(help: "Answer with one JSON document; its first member is \"schema\".")
    var json = false

    @Option(name: .customLong("color"), help: ArgumentHelp("Colours: auto, always or never.", valueName: "when"))
    var colour = ColourChoice.auto

    /// For text on standard output.
    var style: Style { Style(colour) }
}
