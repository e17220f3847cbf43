import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@testable import BookDB
@testable import RecordStore

extension FuzzTarget {
    /// Whatever the small files beside the log hold, they are read or passed over, figures made of them are numbers, and what is added to them is there
    /// when they are read again.
    static let side = FuzzTarget(
        name: "side", summary: "the files of launches and of answers, with right checksums: read and added to",
        byteLimit: 1024,
        check: .later { bytes in
            var reader = ByteReader(bytes)
            let mode = reader.byte()
            let isOfLaunches = mode & 1 == 0
            let magic = isOfLaunches ? "BDLAUNCH" : "BDANSWER"
            var file: [UInt8]
            if mode & 2 == 0 {
                var forgery = LineForgery([isOfLaunches ? launches : answers])
                forgery.change(&reader)
                file = SideFileFormat.bytes(around: forgery.lines.flatMap { Array($0.utf8) }, magic: magic)
            } else {
                file = SideFileFormat.bytes(around: reader.remainder(), magic: magic)
            }
            if mode >= 252 { file = Array(bytes.dropFirst()) }
            let disk = MemoryFileSystem()
            disk.createDirectory(StoreFolder.path)
            let path = StoreFolder.path + "/side"
            try StoreFolder.write(file, to: path, on: disk)
            if isOfLaunches {
                try checkLaunches(path, disk)
            } else {
                try await checkAnswers(path, disk)
            }
        })
}

private func checkLaunches(_ path: String, _ disk: MemoryFileSystem) throws {
    let file = LaunchFile(path: path, fileSystem: disk)
    let found = file.read()
    for launch in found.launches {
        try claim(
            launch.readByteCount >= 0 && launch.nanosecondsBeforeFirstFrame >= 0, "a launch with figures below zero")
    }
    let growth = LaunchHistory(found.launches).growth ?? 1
    try claim(growth.isFinite, "launches have grown by \(growth)")
    var added = found
    let launch = LaunchTimes(date: Date(timeIntervalSince1970: 7))
    added.note(launch)
    added.noteSuccess(of: "a job", Date(timeIntervalSince1970: 8))
    guard let written = file.write(added, since: found) else { return }
    try claim(
        written.launches.contains(launch) && written.launches.count <= LaunchFile.Contents.launchCount,
        "a launch that was noted is not among \(written.launches.count)")
    try claim(written.jobs.contains { $0.name == "a job" }, "a job that was noted is not there")
    let again = file.read()
    try claim(again.launches.map(\.date).contains(launch.date), "what was written cannot be read again")
}

private func checkAnswers(_ path: String, _ disk: MemoryFileSystem) async throws {
    let file = AnswerFile(path: path, fileSystem: disk, isReadWhenAsked: true)
    _ = file["question"]
    file.allowWriting()
    let stored = AnswerFile.Stored(value: Data("true".utf8), date: Date(timeIntervalSince1970: 9))
    let isKept = file.set(stored, "another question")
    await file.settle()
    guard isKept else { return }
    try claim(file["another question"]?.value == stored.value, "an answer that was set is not there")
    let again = AnswerFile(path: path, fileSystem: disk, isReadWhenAsked: true)
    try claim(again["another question"]?.value == stored.value, "an answer that was written cannot be read again")
}

private let launches: String = {
    var contents = LaunchFile.Contents()
    for day in 0..<3 {
        var launch = LaunchTimes(date: Date(timeIntervalSince1970: Double(day) * 86_400))
        launch.readPageCount = 5 + day
        launch.firstFrameNanoseconds = 1_000_000
        contents.note(launch)
        contents.noteSuccess(of: "job \(day)", Date(timeIntervalSince1970: Double(day)))
    }
    return encoded(contents)
}()

private let answers: String = encoded([
    "question": AnswerFile.Stored(value: Data("1".utf8), date: Date(timeIntervalSince1970: 5)),
    "other": AnswerFile.Stored(value: Data("[]".utf8), date: Date(timeIntervalSince1970: 6)),
])

private func encoded(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    // The same bytes every time.
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(value) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
}
