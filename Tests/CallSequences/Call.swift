import CrashSimulation

/// What a program asks of a store, in the alphabet of the sequences.
enum Call: String, CaseIterable, Hashable, Sendable {
    case memory, ordered, flushed
    /// A transaction whose body changes something and throws.
    case abandoned
    case smallLoad, largeLoad
    case compact
    /// Takes a version, to be read after every later call.
    case hold
    case close
    /// Two closings at the same time.
    case closeTwice
    /// The process dies, and another opens the store.
    case restart
    /// Opens a store that was closed, or could not be opened.
    case open
}

/// A call and what becomes of the disk with it: one letter of a sequence, written `call`, `+call` when the disk is mended first, and
/// `call@7:diskFull:on` when the eighth call that it makes of the disk fails, `once` or from then `on`.
struct Step: Hashable, Sendable, CustomStringConvertible {
    let call: Call
    var isMended = false
    var fault: Fault?

    struct Fault: Hashable, Sendable {
        let index: Int
        let reason: DiskFault.Reason
        /// Later calls of the same kind fail, too, until the disk is mended.
        let isLasting: Bool

        var diskFault: DiskFault { DiskFault(nil, after: index, times: isLasting ? nil : 1, reason) }
    }

    var description: String {
        let fault = fault.map { "@\($0.index):\($0.reason.rawValue):\($0.isLasting ? "on" : "once")" }
        return (isMended ? "+" : "") + call.rawValue + (fault ?? "")
    }

    init(_ call: Call, isMended: Bool = false, fault: Fault? = nil) {
        self.call = call
        self.isMended = isMended
        self.fault = fault
    }

    /// `nil` when the text is none.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "@")
        guard let word = parts.first, let call = Call(rawValue: String(word.drop { $0 == "+" })) else { return nil }
        self.init(call, isMended: word.hasPrefix("+"))
        guard parts.count > 1 else { return }
        let words = parts[1].split(separator: ":")
        guard words.count == 3, let index = Int(words[0]), let reason = DiskFault.Reason(rawValue: String(words[1]))
        else { return nil }
        fault = Fault(index: index, reason: reason, isLasting: words[2] == "on")
    }
}

extension [Step] {
    /// The text by which a sequence is replayed.
    var text: String { map(\.description).joined(separator: " ") }

    init?(text: String) {
        let steps = text.split(separator: " ").map { Step($0) }
        guard !steps.contains(where: { $0 == nil }) else { return nil }
        self = steps.compactMap { $0 }
    }
}
