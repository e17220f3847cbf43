#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Dispatch

/// libFuzzer at the wheel: `Fuzz TARGET [libFuzzer's arguments]`. `./dev fuzz` builds it and knows the arguments.
///
/// A target that throws has found something, and that ends the process as a crash does, so that libFuzzer keeps the input.
@main enum Fuzz {
    private static let variable = "BOOKDB_FUZZ_TARGET"

    static func main() {
        var arguments = CommandLine.arguments
        // The processes that libFuzzer starts to merge, or in parallel, get its own arguments only.
        let inherited = getenv(variable).map { String(cString: $0) }
        guard let name = inherited ?? arguments.dropFirst().first, let target = FuzzTarget.named(name) else {
            print("usage: Fuzz TARGET [ARGUMENT …]")
            for target in FuzzTarget.all { print("  \(target.name): \(target.summary)") }
            exit(64)
        }
        chosen = target
        if inherited == nil {
            setenv(variable, name, 1)
            arguments[1] = "-max_len=\(target.byteLimit)"
        }
        // libFuzzer keeps pointers into its arguments for as long as it runs, so they are never given back.
        var count = Int32(arguments.count)
        let vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { vector[index] = strdup(argument) }
        vector[arguments.count] = nil
        var pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = vector
        exit(fuzzerMain(&count, &pointer, runOne))
    }
}

/// Set once, before the first input.
nonisolated(unsafe) private var chosen: FuzzTarget?

@_silgen_name("LLVMFuzzerRunDriver")
private func fuzzerMain(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

private func runOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard let target = chosen else { return 0 }
    switch target.check {
    case .now(let check):
        do { try check(bytes) } catch { fatalError("\(target.name): \(error)") }
    case .later(let check):
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await check(bytes) } catch { fatalError("\(target.name): \(error)") }
            done.signal()
        }
        done.wait()
    }
    return 0
}
