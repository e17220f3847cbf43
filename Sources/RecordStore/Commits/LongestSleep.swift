/// So long one sleeps at a time, whatever was asked for: the system's clocks trap on a time that is some centuries away.
enum LongestSleep {
    static let duration = Duration.seconds(86_400)
}
