// swift-tools-version: 6.2
import PackageDescription

/// The stores a developer would use instead, beside BookDB. A package of its own, so that no build of BookDB sees them.
let package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "BookDB", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CRocksDB", pkgConfig: "rocksdb", providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
        .executableTarget(
            name: "PeerBenchmarks",
            dependencies: [
                "CLMDB", "CRocksDB",
                .product(name: "BookDB", package: "BookDB"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
