import Testing

@testable import CrashSimulation

/// Opens what any power cut could leave of a disk now: each holds one of `expected`.
func expectContents(
    _ expected: [Promise.Contents], afterPowerCutOf recording: RecordingDisk, seeds: ClosedRange<UInt64> = 1...32,
    _ words: String
) async throws {
    for seed in seeds {
        for image in Set(recording.medium(seed: seed).fewImages) {
            let disk = RecordingDisk(directory: SimulatedStore.path, image: image)
            let found = try? SimulatedStore.open(disk)
            let held = try found.map { try SimulatedStore.contents(of: $0.version) }
            #expect(
                held.map(expected.contains) == true,
                "\(words), seed \(seed): \(image.files?.keys.sorted() ?? [])\n\(recording.trail(to: .max))")
            try await found?.close()
        }
    }
}
