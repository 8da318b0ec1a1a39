// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Every Swift target is compiled the same way: Swift 6, warnings as errors, explicit imports.
let swiftSettings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A Swift library of the house.
///
/// `uses` says which rooms it may import, here alone: `bin/rooms` reads it for `bin/lint`
/// and for the table in docs/ARCHITECTURE.md.
func room(_ name: String, uses: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: uses, exclude: ["README.md"], swiftSettings: swiftSettings)
}

/// A test target over the rooms it names.
func tests(
    _ name: String, of rooms: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: rooms, exclude: exclude, swiftSettings: swiftSettings)
}

/// What the fuzzers call, and what the tests that replay their inputs do.
let fuzzedRooms: [Target.Dependency] = [
    "CloudKit", "Importing", "Asking", "Reading", "JobFiles", "HTTP", "Serving",
    "Secrets", "Telemetry", "JSON", "Basics", "CCurl", "CSodium",
]

/// The program of all fuzzers, in place of the tests: it has libFuzzer's `main`, and only `bin/fuzz` asks for it.
let fuzzers: [Target]? =
    Context.environment["JOBRUNNER_FUZZ"] == nil
    ? nil
    : [
        .executableTarget(
            name: "fuzz", dependencies: fuzzedRooms, path: "Tests/FuzzTests",
            exclude: ["Corpora", "Words", "ReplayTests.swift"], swiftSettings: swiftSettings)
    ]

/// Those that `bin/asan` builds alone, nil where all are built.
let chosenTests = Context.environment["JOBRUNNER_TEST_TARGETS"]?.split(separator: " ").map(
    String.init)

/// None where the folder is not there: the image is built without it, so that a change of a test builds nothing anew.
let testTargets: [Target] =
    FileManager.default.fileExists(atPath: Context.packageDirectory + "/Tests")
    ? [
        // What several test targets need: databases cloned from a template, what tests do to their rows, processes.
        .target(
            name: "TestSupport",
            dependencies: [
                "Postgres", "Schema", "JobQueue", "Claiming", "JobFiles", "JSON", "Telemetry",
                "HTTP",
                "CLinux",
            ],
            path: "Tests/TestSupport", swiftSettings: swiftSettings),
        tests("BasicsTests", of: ["Basics", "CLinux"]),
        tests("TelemetryTests", of: ["Telemetry", "TestSupport"]),
        tests("JSONTests", of: ["JSON", "Basics"]),
        tests("PostgresTests", of: ["Postgres", "TestSupport"]),
        tests("HTTPTests", of: ["HTTP"]),
        tests("ServingTests", of: ["Serving", "HTTP", "TestSupport"]),
        tests("PagesTests", of: ["Pages", "JobQueue", "JSON"]),
        tests("JobFilesTests", of: ["JobFiles", "JSON", "Basics", "TestJobFiles"]),
        tests("SecretsTests", of: ["Secrets", "Basics", "CSodium"]),
        tests("ImportingTests", of: ["Importing", "JobFiles", "JSON"]),
        tests("SchemaTests", of: ["Schema", "Postgres", "JobFiles", "JSON", "TestSupport"]),
        tests(
            "JobQueueTests",
            of: [
                "JobQueue", "Claiming", "Pages", "Postgres", "JSON", "Schema", "TestSupport",
                "Basics",
            ]),
        tests("ClaimingTests", of: ["Claiming", "JobQueue", "Basics"]),
        .target(
            name: "TestJobFiles", dependencies: ["JobFiles", "JSON"], path: "Tests/TestJobFiles",
            exclude: ["Cases"], swiftSettings: swiftSettings),
        tests(
            "ReadingTests",
            of: ["Reading", "JobFiles", "JSON", "HTTP", "Postgres", "TestJobFiles", "Basics"]),
        tests(
            "AskingTests",
            of: [
                "Asking", "Reading", "JobFiles", "JSON", "HTTP", "Postgres", "JobQueue", "Secrets",
                "TestJobFiles",
            ]),
        tests(
            "WritingTests",
            of: ["Writing", "Reading", "JobFiles", "JSON", "Postgres", "JobQueue", "TestJobFiles"]),
        tests(
            "SyncTests",
            of: [
                "Sync", "Asking", "Reading", "JobFiles", "JSON", "HTTP", "Postgres", "JobQueue",
                "TestJobFiles",
            ]),
        tests(
            "CloudKitTests",
            of: [
                "CloudKit", "Asking", "Reading", "JobFiles", "JSON", "HTTP", "JobQueue", "Secrets",
                "COpenSSL", "Basics",
            ]),
        tests(
            "RunnerTests",
            of: [
                "Runner", "Claiming", "Sync", "Asking", "JobQueue", "Postgres", "HTTP", "JobFiles",
                "Schema",
                "Telemetry",
                "TestSupport", "Basics",
            ]),
        tests(
            "CommandsTests",
            of: [
                "Commands", "JSON", "JobFiles", "Postgres", "JobQueue", "Runner", "Schema",
                "Secrets",
                "Serving", "Telemetry", "CLinux", "TestSupport",
            ]),
        tests("BenchTests", of: ["Bench", "JSON"]),
        tests("FakeSourceTests", of: ["FakeSource", "COpenSSL"]),
        tests("FuzzTests", of: fuzzedRooms, exclude: ["Corpora", "Words", "Driver.swift"]),
        tests(
            "IntegrationTests",
            of: [
                "TestSupport", "TestJobFiles", "FakeSource", "Runner", "Sync", "Writing", "Asking",
                "CloudKit",
                "JobQueue", "Schema",
                "Postgres",
                "HTTP", "JobFiles", "JSON", "Secrets", "Telemetry", "Basics",
            ]),
        tests(
            "EndToEndTests",
            of: [
                "TestSupport", "TestJobFiles", "FakeSource", "HTTP", "Postgres", "JobQueue",
                "Claiming", "JSON",
            ],
            exclude: ["calls.c", "clock.c", "RenderedSQL"]),
    ] : []

let package = Package(
    name: "jobrunner",
    products: [
        .executable(name: "jobrunner", targets: ["jobrunner"]),
        .executable(name: "fake-source", targets: ["fake-source"]),
        .executable(name: "jobrunner-bench", targets: ["jobrunner-bench"]),
    ],
    targets: [
        // System libraries, and C shims for what Swift can't import (variadic functions, macros).
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLinux"),
        .target(name: "CCurlShim", dependencies: ["CCurl"]),
        .target(name: "CMicroHTTPDShim", dependencies: ["CMicroHTTPD"]),
        // The text of sql/, embedded in the binary at compile time.
        .target(
            name: "CSQLFiles", path: "sql",
            exclude: ["migrations", "functions", "views"]),

        // The rooms, leaves first.
        room("Basics", uses: ["CGLib", "CLinux", "CSodium"]),
        room("Telemetry", uses: ["Basics"]),
        room("JSON", uses: ["Basics"]),
        room("Postgres", uses: ["Basics", "CLibPQ", "CLinux"]),
        room("HTTP", uses: ["Basics", "CCurl", "CCurlShim"]),
        room("Serving", uses: ["CMicroHTTPD", "CMicroHTTPDShim"]),
        room("JobFiles", uses: ["Basics", "CYAML", "JSON"]),
        room("Secrets", uses: ["Basics", "JSON", "COpenSSL", "CSodium"]),
        room("Importing", uses: ["JobFiles", "JSON"]),
        room("Schema", uses: ["Basics", "Postgres", "JobFiles", "JSON", "CSQLFiles"]),
        room("JobQueue", uses: ["Basics", "Postgres", "JSON"]),
        room("Claiming", uses: ["Basics", "JobQueue", "Postgres"]),
        room("Reading", uses: ["Basics", "HTTP", "JobFiles", "JSON", "Postgres"]),
        room(
            "Asking",
            uses: [
                "Reading", "JobQueue", "Postgres", "HTTP", "JobFiles", "JSON", "Secrets",
                "Telemetry", "Basics",
            ]),
        room(
            "Writing",
            uses: ["Reading", "JobQueue", "Postgres", "JobFiles", "JSON", "Telemetry", "Basics"]),
        room(
            "Sync",
            uses: [
                "Writing", "Asking", "Reading", "JobQueue", "Postgres", "HTTP", "JobFiles", "JSON",
                "Telemetry", "Basics",
            ]),
        room(
            "CloudKit",
            uses: [
                "Asking", "Reading", "JobQueue", "HTTP", "JobFiles", "JSON", "Secrets", "Basics",
                "COpenSSL",
            ]),
        room(
            "Runner",
            uses: [
                "Sync", "Asking", "Claiming", "JobQueue", "Postgres", "JobFiles", "Secrets",
                "Telemetry", "Basics",
            ]),
        room(
            "Conformance",
            uses: [
                "Runner", "Sync", "Asking", "Reading", "JobQueue", "Postgres", "HTTP", "JobFiles",
                "JSON", "Schema", "Secrets", "Telemetry", "Basics",
            ]),
        room("Pages", uses: ["JobQueue", "JSON"]),
        room(
            "Commands",
            uses: [
                "Conformance", "Pages", "Serving", "Runner", "Sync", "Writing", "Asking",
                "CloudKit",
                "Importing", "JobQueue", "Postgres",
                "HTTP", "JobFiles", "JSON", "Schema", "Secrets", "Telemetry", "CLinux", "Basics",
            ]),
        .executableTarget(
            name: "jobrunner", dependencies: ["Commands"], swiftSettings: swiftSettings),

        // The sources of the demo and the tests; shares no code with the product.
        room("FakeSource", uses: ["CMicroHTTPD", "CMicroHTTPDShim", "COpenSSL"]),
        .executableTarget(
            name: "fake-source", dependencies: ["FakeSource"], path: "Sources/FakeSourceProgram",
            swiftSettings: swiftSettings),

        // Measures jobrunner as a child process beside yardsticks; nothing of it is in jobrunner.
        .target(
            name: "Bench",
            dependencies: ["Basics", "Postgres", "JobQueue", "JSON", "CLinux"],
            // Read where they lie, in the root of the repository.
            exclude: ["README.md", "JobFiles", "Yardsticks"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "jobrunner-bench", dependencies: ["Bench"], path: "Sources/BenchProgram",
            swiftSettings: swiftSettings),
    ]
        + (fuzzers ?? testTargets).filter {
            $0.type != .test || chosenTests?.contains($0.name) ?? true
        },
    swiftLanguageModes: [.v6]
)
