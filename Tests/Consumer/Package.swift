// swift-tools-version: 6.2
import PackageDescription

// A package that uses Ferry as its users do: by its public products alone, with no settings of its own.
let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "ferry", path: "../..")],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "Ferry", package: "ferry"), .product(name: "FerryTesting", package: "ferry"),
            ]),
        // Written from Docs/Testing.md alone.
        .testTarget(
            name: "ConsumerTests",
            dependencies: [
                .product(name: "Ferry", package: "ferry"), .product(name: "FerryTesting", package: "ferry"),
            ], resources: [.copy("Fixtures")]),
        // A client of a small API and its tests, written in one go from README and Docs.
        .target(name: "TaskBoard", dependencies: [.product(name: "Ferry", package: "ferry")]),
        .testTarget(
            name: "TaskBoardTests",
            dependencies: [
                "TaskBoard", .product(name: "Ferry", package: "ferry"),
                .product(name: "FerryTesting", package: "ferry"),
            ], resources: [.copy("Fixtures")]),
    ]
)
