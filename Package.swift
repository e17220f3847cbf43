// swift-tools-version: 6.2
import PackageDescription

/// One folder, two products: the tests that replay the corpus of every fuzz target, and, when `./dev fuzz` asks, the program
/// in which libFuzzer drives them. The program links the fuzzer's runtime, so no other build must meet it.
let isFuzzing = Context.environment["BOOKDB_FUZZ"] != nil
let fuzzed: [Target.Dependency] = ["StorageEngine", "BookDB", "BookImport", "CrashSimulation", "TestSupport"]
let fuzz: Target =
    isFuzzing
    ? .executableTarget(name: "Fuzz", dependencies: fuzzed, path: "Tests/FuzzTests", exclude: ["Replay", "Corpus"])
    : .testTarget(name: "FuzzTests", dependencies: fuzzed, path: "Tests/FuzzTests", exclude: ["Driver", "Corpus"])

/// How the libraries, the command and what tests lean on are compiled. `./dev test` asks for optimised code that keeps every
/// assertion: what an app runs, checked as a debug build is. Nobody may depend on a package with such flags, so it has to ask.
let isOptimised = Context.environment["BOOKDB_OPTIMISED"] != nil
let optimised: [SwiftSetting] = isOptimised ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : []
let settings: [SwiftSetting] = [.strictMemorySafety()] + optimised

/// What Apple's systems ask about code that looks at the state of files and at free space. Elsewhere a resource would only make a bundle of it.
#if canImport(Darwin)
    let privacyManifest: (resources: [Resource], exclude: [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
    let privacyManifest: (resources: [Resource], exclude: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

/// The manifest is the architecture: every target names only targets above it in this list.
let package = Package(
    name: "BookDB",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "BookDB", targets: ["BookDB"]),
        .library(name: "RecordStore", targets: ["RecordStore"]),
        .library(name: "BookImport", targets: ["BookImport"]),
        .library(name: "BookDBUI", targets: ["BookDBUI"]),
        .executable(name: "bookdb", targets: ["BookDBCommand"]),
    ],
    traits: [
        .trait(name: "SwiftLog", description: "A Logger of swift-log can be a library's diagnostic log."),
        .trait(name: "Tracing", description: "Spans of swift-distributed-tracing show a library's work."),
        .trait(name: "OSLog", description: "An os.Logger can be a library's diagnostic log, on Apple's systems."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLZ4",
            pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]
        ),
        .target(name: "CCRC32C"),
        .target(name: "CFiles"),
        .target(
            name: "StorageEngine",
            dependencies: [
                // Apple's systems have the format themselves.
                .target(name: "CLZ4", condition: .when(platforms: [.linux])),
                "CCRC32C", "CFiles",
            ],
            swiftSettings: settings
        ),
        .target(name: "Filing", swiftSettings: settings),
        .target(
            name: "RecordStore",
            dependencies: [
                "StorageEngine", "Filing",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["SwiftLog"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
            ],
            exclude: privacyManifest.exclude,
            resources: privacyManifest.resources,
            swiftSettings: settings
        ),
        .target(
            name: "BookDB",
            dependencies: ["RecordStore", "StorageEngine", "Filing"],
            swiftSettings: settings
        ),
        // Empty where there is no SwiftUI.
        .target(name: "BookDBUI", dependencies: ["BookDB"]),
        .target(
            name: "BookImport",
            dependencies: ["BookDB"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BookDBCommand",
            dependencies: [
                "BookDB", "BookImport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "LedgerExample",
            dependencies: [
                "RecordStore", "BookImport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "BookTracker",
            dependencies: [
                "BookDB", "BookImport", "StorageEngine",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "LibraryBenchmarks",
            dependencies: ["BookDB", "BookImport", "StorageEngine", "TestSupport"],
            path: "Benchmarks/LibraryBenchmarks"
        ),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: optimised),
        .target(
            name: "CrashSimulation", dependencies: ["StorageEngine", "TestSupport"], path: "Tests/CrashSimulation",
            swiftSettings: optimised),
        .target(name: "Scheduling", dependencies: ["StorageEngine"], path: "Tests/Scheduling"),
        .target(
            name: "CallSequences", dependencies: ["CrashSimulation", "Scheduling"], path: "Tests/CallSequences"),
        .target(
            name: "Schedules", dependencies: ["CrashSimulation", "Scheduling", "TestSupport"], path: "Tests/Schedules"),
        .target(
            name: "RotSimulation", dependencies: ["StorageEngine", "TestSupport"], path: "Tests/RotSimulation",
            swiftSettings: optimised),
        .executableTarget(
            name: "Torture", dependencies: ["CrashSimulation", "RotSimulation", "CallSequences", "Schedules"],
            path: "Tests/Torture"),
        .executableTarget(
            name: "SharingSoak", dependencies: ["StorageEngine", "TestSupport"], path: "Tests/SharingSoak"),
        .testTarget(name: "CrashTests", dependencies: ["CrashSimulation", "TestSupport"]),
        .testTarget(name: "CallSequenceTests", dependencies: ["CallSequences"]),
        .testTarget(name: "ScheduleTests", dependencies: ["Schedules", "Scheduling"]),
        .testTarget(
            name: "StorageEngineTests",
            dependencies: ["StorageEngine", "CCRC32C", "CrashSimulation", "RotSimulation", "TestSupport"]),
        .testTarget(name: "FilingTests", dependencies: ["Filing", "TestSupport"]),
        .target(
            name: "LibrarySupport", dependencies: ["RecordStore", "StorageEngine", "TestSupport"],
            path: "Tests/LibrarySupport"),
        .testTarget(name: "RecordStoreTests", dependencies: ["RecordStore", "LibrarySupport", "TestSupport"]),
        .testTarget(name: "BookDBTests", dependencies: ["BookDB", "LibrarySupport", "TestSupport"]),
        .testTarget(name: "BookImportTests", dependencies: ["BookImport", "TestSupport"]),
        .testTarget(name: "CommandTests", dependencies: ["BookDB", "BookDBCommand", "SharingSoak", "TestSupport"]),
        .testTarget(name: "BookTrackerTests", dependencies: ["BookTracker", "StorageEngine"]),
        .testTarget(name: "DocumentationTests", dependencies: ["BookDB", "BookImport", "BookDBUI", "TestSupport"]),
        fuzz,
    ],
    swiftLanguageModes: [.v6]
)
