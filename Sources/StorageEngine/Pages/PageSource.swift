import Synchronization

/// The mapped pages of a snapshot file, each verified the first time it is touched.
///
/// A bit per page remembers what was verified, so that opening costs nothing per page and damage is never served. A page
/// that passes has the checksum its parent holds and a layout that keeps every later access within the page.
struct PageSource: @unchecked Sendable {
    // Safe to share because the pages are never written and the bits only ever turn on, atomically.
    let base: UnsafeRawPointer
    let pageCount: Int
    let verified: UnsafeMutablePointer<Atomic<UInt64>>
    unowned(unsafe) let origin: PageOrigin

    /// The node behind a child reference: a page number × 2 + 1, or the address of a memory node.
    @inline(__always)
    func node(_ reference: UInt64, checksum: UInt32) throws(StorageError) -> Node {
        guard reference & 1 == 1 else {
            // Safe because memory references are made by the engine only and live as long as the version.
            return Node(reference: reference)
        }
        let page = Int(reference >> 1)
        // Safe because page numbers were checked against the page count when their parent was validated.
        if verified[page >> 6].load(ordering: .acquiring) & (1 << UInt64(page & 63)) == 0 {
            try verify(page, checksum)
        }
        return Node(base + page * NodeLayout.pageByteCount)
    }

    @inline(never)
    private func verify(_ page: Int, _ checksum: UInt32) throws(StorageError) {
        // Safe for the same reason: the page lies within the mapping.
        let bytes = UnsafeRawBufferPointer(
            start: base + page * NodeLayout.pageByteCount, count: NodeLayout.pageByteCount)
        if let finding = PageValidation.finding(
            in: bytes.bytes, checksum: checksum, pageCount: pageCount, coldByteCount: origin.coldByteCount)
        {
            throw .damaged(
                Damage(
                    file: origin.path, byteOffset: page * NodeLayout.pageByteCount, page: page, finding: finding))
        }
        verified[page >> 6].bitwiseOr(1 << UInt64(page & 63), ordering: .acquiringAndReleasing)
    }
}

/// Where pages come from: what their validation and their errors need to know of the file.
final class PageOrigin: Sendable {
    let path: String
    let coldByteCount: UInt64

    init(path: String, coldByteCount: UInt64) {
        self.path = path
        self.coldByteCount = coldByteCount
    }
}
