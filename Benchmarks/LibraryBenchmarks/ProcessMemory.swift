#if canImport(Glibc)
    import Glibc
#endif

/// Memory that only this process holds and that cannot be dropped: what "dirty" means to a phone.
enum ProcessMemory {
    /// Kilobytes of private dirty memory; `nil` where the system does not tell this way.
    static var dirtyKilobytes: Int? {
        #if canImport(Glibc)
            guard let file = fopen("/proc/self/smaps_rollup", "r") else { return nil }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, Int32(line.count), file) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                guard text.hasPrefix("Private_Dirty:") else { continue }
                return Int(text.filter(\.isNumber))
            }
        #endif
        return nil
    }
}
