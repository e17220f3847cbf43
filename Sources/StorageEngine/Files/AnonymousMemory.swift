#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Memory from the kernel, in whole pages, which it has back as soon as it is released: the allocator of a C library may keep what
/// was freed for whatever comes next. Under the address sanitizer it is the C library's, which that watches.
///
/// Safe because only its owner knows of it, and says what is no longer used.
@safe struct AnonymousMemory {
    let base: UnsafeMutableRawPointer
    let byteCount: Int

    /// Stops the program when there is no memory left, as every allocation does.
    init(byteCount: Int) {
        self.byteCount = byteCount
        #if ASAN
            unsafe base = .allocate(byteCount: byteCount, alignment: 16)
        #else
            let memory = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
            guard unsafe memory != MAP_FAILED else { fatalError("there is no memory left") }
            unsafe base = memory!
        #endif
    }

    /// Safe only when nothing reads it any more.
    @unsafe func release() {
        #if ASAN
            unsafe base.deallocate()
        #else
            unsafe munmap(base, byteCount)
        #endif
    }

    /// Gives the pages within a range back. What is read of them afterwards is anything. Safe only when nothing is.
    @unsafe func discard(_ range: Range<Int>) {
        let start = unsafe UInt(bitPattern: base)
        unsafe Self.discard(Self.pages(within: start + UInt(range.lowerBound)..<start + UInt(range.upperBound)))
    }

    /// The whole pages between some addresses.
    static func pages(within addresses: Range<UInt>) -> Range<UInt> {
        let pageByteCount = UInt(getpagesize())
        let start = (addresses.lowerBound + pageByteCount - 1) / pageByteCount * pageByteCount
        return start..<max(start, addresses.upperBound / pageByteCount * pageByteCount)
    }

    /// Gives whole pages of any such memory back. Safe only when nothing is read of them, or before it is written again.
    @unsafe static func discard(_ pages: Range<UInt>) {
        guard !pages.isEmpty, let start = unsafe UnsafeMutableRawPointer(bitPattern: pages.lowerBound) else { return }
        #if canImport(Darwin)
            // What is only freed counts as the process's own until memory is short.
            if unsafe madvise(start, pages.count, MADV_FREE_REUSABLE) != 0 {
                _ = unsafe madvise(start, pages.count, MADV_FREE)
            }
        #else
            _ = unsafe madvise(start, pages.count, MADV_DONTNEED)
        #endif
    }
}

/// Memory that was freed and that the C library keeps.
enum FreedMemory {
    /// Work on so many bytes takes much memory.
    private static let largeByteCount = 16 << 20

    /// Gives it back to the kernel, after work that took much of it on a thread that may not come again: what is kept is kept for each
    /// thread. Some milliseconds.
    ///
    /// - Parameter byteCount: what was worked on.
    static func giveBack(afterWorkOn byteCount: Int) {
        guard byteCount >= largeByteCount else { return }
        #if canImport(Darwin)
            _ = unsafe malloc_zone_pressure_relief(nil, 0)
        #elseif canImport(Glibc)
            // The module of the C library has no name for it. Safe because a symbol of that name has that type.
            guard let trim = unsafe dlsym(nil, "malloc_trim") else { return }
            _ = unsafe unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
        #endif
    }
}
