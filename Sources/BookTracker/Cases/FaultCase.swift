import BookDB

/// A launch on a copy of the library with a fault in its files.
struct FaultCase {
    let fault: any Fault
    let folder: TrackerFolder
    let size: LibrarySize

    /// - Parameter isInjected: whether the fault is put into the files; otherwise the same launch is played without it.
    func play(isInjected: Bool = true) async throws -> (what: String, findings: Findings) {
        let copy = try folder.copyLibrary(size)
        defer { copy.remove() }
        try await fault.prepare(copy)
        let what = isInjected ? try fault.inject(into: copy) : "Nothing is changed."
        let findings = await Findings.launch(copy, in: folder)
        return (what, findings)
    }

    /// - Returns: whether the launch showed the fault as it must.
    func play(on page: inout Page) async throws -> Bool {
        let (what, findings) = try await play()
        page.title(fault.title)
        page.text(what)
        findings.write(to: &page)
        return fault.isShown(by: findings)
    }
}
