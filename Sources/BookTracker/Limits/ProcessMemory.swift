import Foundation

/// Memory that only this process has and that cannot be dropped. The mapped file of a library is not part of it.
enum ProcessMemory {
    /// `nil` where the system does not tell it this way.
    static var privateByteCount: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Private_Dirty:") })
        else { return nil }
        return Int(line.filter(\.isNumber)).map { $0 * 1_024 }
    }
}
