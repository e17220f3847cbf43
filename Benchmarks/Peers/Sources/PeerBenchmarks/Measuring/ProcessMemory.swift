import Foundation

/// Memory of this process alone, which cannot be dropped and read again: not the pages of mapped files.
enum ProcessMemory {
    /// Kilobytes of private dirty memory.
    static var dirtyKilobytes: Int { value("Private_Dirty:", in: "/proc/self/smaps_rollup") }

    /// Kilobytes that belong to no file. The system keeps this number: asking walks no pages, which cost an import a fifth.
    static var anonymousKilobytes: Int { value("RssAnon:", in: "/proc/self/status") }

    /// Kilobytes in memory, those of mapped files as well.
    static var residentKilobytes: Int { value("VmRSS:", in: "/proc/self/status") }

    private static func value(_ name: String, in file: String) -> Int {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}

/// Looks at the memory of the process every ten milliseconds.
final class MemoryWatch: @unchecked Sendable {
    private let lock = NSLock()
    private let start = MemoryUse.now
    private var peak = MemoryUse.now
    private var isDone = false

    init() {
        Thread.detachNewThread { [self] in
            while lock.withLock({ !isDone }) {
                look()
                usleep(10_000)
            }
        }
    }

    private func look() {
        let now = MemoryUse.now
        lock.withLock { peak = MemoryUse(max(peak.anonymous, now.anonymous), max(peak.resident, now.resident)) }
    }

    /// Kilobytes more than at the beginning.
    func stop() -> MemoryUse {
        look()
        return lock.withLock {
            isDone = true
            return MemoryUse(peak.anonymous - start.anonymous, peak.resident - start.resident)
        }
    }
}

/// Kilobytes of memory.
struct MemoryUse {
    /// What belongs to no file.
    let anonymous: Int
    /// The same and the pages of mapped files.
    let resident: Int

    init(_ anonymous: Int, _ resident: Int) {
        self.anonymous = anonymous
        self.resident = resident
    }

    static var now: MemoryUse { MemoryUse(ProcessMemory.anonymousKilobytes, ProcessMemory.residentKilobytes) }
}
