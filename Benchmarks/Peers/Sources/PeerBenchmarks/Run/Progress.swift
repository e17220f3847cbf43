import Foundation

/// Says what is being measured.
enum Progress {
    /// On the line before, where someone looks on.
    static func tell(_ text: String) {
        guard isatty(STDERR_FILENO) != 0 else { return }
        FileHandle.standardError.write(Data("\u{1B}[2K\r\(text)".utf8))
    }
}
