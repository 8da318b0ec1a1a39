// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is compiled the same way: Swift 6, warnings as errors, explicit imports.
let swiftSettings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A Swift library of the house; `uses` are the arrows of docs/ARCHITECTURE.md.
func room(_ name: String, uses: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: uses, swiftSettings: swiftSettings)
}

/// A test target over the rooms it names.
func tests(
    _ name: String, of rooms: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: rooms, exclude: exclude, swiftSettings: swiftSettings)
}

let package = Package(
    name: "jobrunner",
    products: [
        .executable(name: "jobrunner", targets: ["jobrunner"]),
        .executable(name: "fake-source", targets: ["fake-source"]),
    ],
    targets: [
        // System libraries, and C shims for what Swift can't import (variadic functions, macros).
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
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
            exclude: ["migrations", "functions", "views", "schema.sql"]),

        // The rooms, leaves first.
        room("Telemetry", uses: ["CLinux"]),
        room("JSON"),
        room("Postgres", uses: ["CLibPQ", "CLinux"]),
        room("HTTP", uses: ["CCurl", "CCurlShim"]),
        room("JobFile", uses: ["CYAML", "JSON"]),
        room("Secrets", uses: ["CSodium"]),
        room("Schema", uses: ["Postgres", "JobFile", "JSON", "CSQLFiles", "CSodium"]),
        room("Queue", uses: ["Postgres", "JSON"]),
        room(
            "Sync", uses: ["Queue", "Postgres", "HTTP", "JobFile", "JSON", "Secrets", "Telemetry"]),
        room(
            "CloudKit",
            uses: ["Sync", "Queue", "HTTP", "JobFile", "JSON", "Secrets", "COpenSSL"]),
        room("Runner", uses: ["Sync", "Queue", "JobFile", "Telemetry", "CLinux"]),
        room(
            "Conformance",
            uses: [
                "Runner", "Sync", "Queue", "Postgres", "HTTP", "JobFile", "JSON", "Schema",
                "Secrets", "Telemetry",
            ]),
        .target(
            name: "Bench", dependencies: ["Postgres", "Queue", "JSON", "CLinux"],
            // Read where they lie, in the root of the repository.
            exclude: ["JobFiles", "Yardsticks"], swiftSettings: swiftSettings),
        room(
            "Commands",
            uses: [
                "Bench", "Conformance", "Runner", "Sync", "CloudKit", "Queue", "Postgres", "HTTP",
                "JobFile",
                "JSON",
                "Schema", "Secrets", "Telemetry", "CLinux",
            ]),
        .executableTarget(
            name: "jobrunner", dependencies: ["Commands"], swiftSettings: swiftSettings),

        // The sources of the demo and the tests; shares no code with the product.
        room("FakeSource", uses: ["CMicroHTTPD", "CMicroHTTPDShim", "CLinux", "COpenSSL"]),
        .executableTarget(
            name: "fake-source", dependencies: ["FakeSource"], path: "Sources/FakeSourceProgram",
            swiftSettings: swiftSettings),

        // What several test targets need: databases cloned from a template, processes, the source.
        .target(
            name: "TestSupport",
            dependencies: ["Postgres", "Schema", "Queue", "JobFile", "JSON", "CLinux"],
            path: "Tests/TestSupport", swiftSettings: swiftSettings),
        tests("TelemetryTests", of: ["Telemetry"]),
        tests("JSONTests", of: ["JSON"]),
        tests("PostgresTests", of: ["Postgres", "TestSupport"]),
        tests("HTTPTests", of: ["HTTP"]),
        tests("JobFileTests", of: ["JobFile", "JSON"], exclude: ["Malformed"]),
        tests("SecretsTests", of: ["Secrets"]),
        tests("SchemaTests", of: ["Schema", "Postgres", "JobFile", "JSON", "TestSupport"]),
        tests("QueueTests", of: ["Queue", "Postgres", "JSON", "Schema", "TestSupport"]),
        tests(
            "SyncTests",
            of: ["Sync", "JobFile", "JSON", "HTTP", "Postgres", "Queue", "Secrets"]),
        tests(
            "CloudKitTests",
            of: ["CloudKit", "Sync", "JobFile", "JSON", "HTTP", "Queue", "Secrets", "COpenSSL"]),
        tests(
            "RunnerTests",
            of: [
                "Runner", "Sync", "Queue", "Postgres", "HTTP", "JobFile", "Schema", "Telemetry",
                "TestSupport",
            ]),
        tests(
            "CommandsTests",
            of: [
                "Commands", "JSON", "JobFile", "Postgres", "Queue", "Runner", "Schema", "Secrets",
                "Telemetry",
            ]),
        tests("BenchTests", of: ["Bench", "JSON"]),
        tests("FakeSourceTests", of: ["FakeSource", "COpenSSL"]),
        tests(
            "IntegrationTests",
            of: [
                "TestSupport", "FakeSource", "Runner", "Sync", "CloudKit", "Queue", "Schema",
                "Postgres",
                "HTTP", "JobFile", "JSON", "Secrets", "Telemetry",
            ]),
        tests(
            "EndToEndTests",
            of: ["TestSupport", "FakeSource", "HTTP", "Postgres", "Queue", "JSON"],
            exclude: ["clock.c"]),
    ],
    swiftLanguageModes: [.v6]
)
