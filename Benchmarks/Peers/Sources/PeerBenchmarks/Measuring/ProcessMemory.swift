import Foundation

/// Memory of this process alone, which cannot be dropped and read again: not the pages of mapped files.
enum ProcessMemory {
    /// Kilobytes of private dirty memory.
    static var dirtyKilobytes: Int { value("Private_Dirty:", in: "/proc/self/smaps_rollup") }

    /// Kilobytes that belong to no file. The system keeps this number: asking walks no pages, which cost an import a fifth.
    static var anonymousKilobytes: Int { value("RssAnon:", in: "/proc/self/status") }

    private static func value(_ name: String, in file: String) -> Int {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}

/// Looks at the memory of the process every ten milliseconds.
final class MemoryWatch: @unchecked Sendable {
    private let lock = NSLock()
    private let start = ProcessMemory.anonymousKilobytes
    private var peak = 0
    private var isDone = false

    init() {
        Thread.detachNewThread { [self] in
            while lock.withLock({ !isDone }) {
                let now = ProcessMemory.anonymousKilobytes
                lock.withLock { peak = max(peak, now) }
                usleep(10_000)
            }
        }
    }

    /// Kilobytes more than at the beginning.
    func stop() -> Int {
        lock.withLock {
            isDone = true
            return max(0, max(peak, ProcessMemory.anonymousKilobytes) - start)
        }
    }
}
