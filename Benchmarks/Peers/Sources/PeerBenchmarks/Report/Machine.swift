import Foundation

/// What the figures were measured on.
struct Machine: Codable {
    var processor = "unknown"
    var cores = ProcessInfo.processInfo.activeProcessorCount
    var memoryGigabytes = Int(ProcessInfo.processInfo.physicalMemory >> 30)
    var kernel = "unknown"
    var fileSystem = "unknown"

    init(folder: String) {
        let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        if let line = cpu.split(separator: "\n").first(where: { $0.hasPrefix("model name") }),
            let colon = line.firstIndex(of: ":")
        {
            processor = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        kernel = ProcessInfo.processInfo.operatingSystemVersionString
        if let release = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8) {
            kernel = "Linux " + release.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let path = URL(filePath: folder).resolvingSymlinksInPath().path
        let mounts = ((try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? "").split(separator: "\n")
            .map { $0.split(separator: " ").map(String.init) }
            .filter { $0.count > 3 && (path + "/").hasPrefix($0[1] == "/" ? "/" : $0[1] + "/") }
        if let mount = mounts.max(by: { $0[1].count < $1[1].count }) {
            fileSystem = "\(mount[2]) (\(mount[3])) on \(mount[0])"
        }
    }

    var text: String { "\(processor), \(cores) cores, \(memoryGigabytes) GB; \(kernel); \(fileSystem)" }
}
