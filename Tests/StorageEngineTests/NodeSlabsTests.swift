import TestSupport
import Testing

@testable import StorageEngine

/// The memory that nodes are made in.
@Suite struct NodeSlabsTests {
    private struct Piece {
        let address: UnsafeMutableRawPointer
        let byteCount: Int
        let mark: UInt8

        var range: Range<UInt> { UInt(bitPattern: address)..<UInt(bitPattern: address) + UInt(byteCount) }
        var isWhole: Bool { UnsafeRawBufferPointer(start: address, count: byteCount).allSatisfy { $0 == mark } }

        init(_ slabs: inout NodeSlabs, _ byteCount: Int, mark: UInt8) {
            address = slabs.allocate(byteCount: byteCount)
            self.byteCount = byteCount
            self.mark = mark
            address.initializeMemory(as: UInt8.self, repeating: mark, count: byteCount)
        }
    }

    /// What nodes take, and now and then a large value.
    private func byteCount(_ random: inout SeededGenerator) -> Int {
        random.oneIn(50) ? Int.random(in: 30_000...300_000, using: &random) : Int.random(in: 1...9000, using: &random)
    }

    @Test func `random pieces keep their bytes, whatever is freed and given back beside them`() {
        var random = SeededGenerator.forTest(fallback: 13)
        for _ in 0..<8 {
            var slabs = NodeSlabs()
            var pieces: [Piece] = []
            for step in 0..<2_000 {
                if random.oneIn(3), let index = pieces.indices.randomElement(using: &random) {
                    let piece = pieces.remove(at: index)
                    #expect(piece.isWhole)
                    slabs.deallocate(piece.address, byteCount: piece.byteCount)
                } else if random.oneIn(60) {
                    let before = slabs.byteCount
                    let byteCount = slabs.giveBackFree()
                    #expect(slabs.byteCount == before - byteCount)
                } else {
                    pieces.append(Piece(&slabs, byteCount(&random), mark: UInt8(truncatingIfNeeded: step)))
                    #expect(UInt(bitPattern: pieces.last!.address) % 16 == 0)
                }
            }
            pieces.sort { $0.range.lowerBound < $1.range.lowerBound }
            #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound })
            while !pieces.isEmpty {
                #expect(pieces.allSatisfy { $0.isWhole })
                let stay = pieces.filter { _ in random.oneIn(4) }
                for piece in pieces where !stay.contains(where: { $0.address == piece.address }) {
                    slabs.deallocate(piece.address, byteCount: piece.byteCount)
                }
                slabs.keep(only: stay.map(\.range))
                pieces = stay
            }
            slabs.release()
        }
    }

    #if !ASAN
        @Test func `a piece that was freed is given out again to the next of its size`() {
            var slabs = NodeSlabs()
            defer { slabs.release() }
            let pieces = (0..<3).map { Piece(&slabs, 1000, mark: UInt8($0)) }
            slabs.deallocate(pieces[1].address, byteCount: 1000)
            #expect(slabs.allocate(byteCount: 5000) != pieces[1].address)
            #expect(slabs.allocate(byteCount: 1020) == pieces[1].address)
            #expect(slabs.allocate(byteCount: 1020) != pieces[1].address)
        }
    #endif
}
