// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where CI says so; a user's build is never broken by a newer compiler's warning.
let strict = Context.environment["FERRY_WARNINGS_AS_ERRORS"] != nil

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (strict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

let package = Package(
    name: "ferry",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Ferry", targets: ["Ferry"]),
        .library(name: "FerryTesting", targets: ["FerryTesting"]),
        .library(name: "FerryCurl", targets: ["FerryCurl"]),
        .library(name: "FerryUI", targets: ["FerryUI"]),
        .executable(name: "ferry-demo", targets: ["ferry-demo"]),
        .executable(name: "ferry-bench", targets: ["ferry-bench"]),
    ],
    targets: [
        .target(name: "Ferry", swiftSettings: settings),
        .target(name: "FerryTesting", dependencies: ["Ferry"], swiftSettings: settings),
        .target(name: "CFerryCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(name: "FerryCurl", dependencies: ["Ferry", "CFerryCurl"], swiftSettings: settings),
        .target(name: "FerryUI", dependencies: ["Ferry"], swiftSettings: settings),
        .executableTarget(name: "ferry-demo", dependencies: ["Ferry", "FerryTesting"], swiftSettings: settings),
        .executableTarget(
            name: "ferry-bench", dependencies: ["Ferry", "FerryCurl", "CFerryCurl", "FerryTesting"],
            swiftSettings: settings),
        // A process that tests start and kill.
        .executableTarget(
            name: "ferry-test-helper", dependencies: ["Ferry"], path: "Tests/ferry-test-helper",
            swiftSettings: settings),
        .testTarget(
            name: "FerryTests", dependencies: ["Ferry", "FerryCurl", "FerryTesting", "ferry-test-helper"],
            swiftSettings: settings),
        .testTarget(name: "FerryTestingTests", dependencies: ["Ferry", "FerryTesting"], swiftSettings: settings),
        .testTarget(
            name: "FerryUITests", dependencies: ["FerryUI", "Ferry", "FerryTesting"], swiftSettings: settings),
        .testTarget(
            name: "FerryDemoTests", dependencies: ["ferry-demo", "Ferry", "FerryTesting"], swiftSettings: settings),
    ]
)
