import Foundation
import Synchronization

/// What `bin/pg` said when it failed.
struct ServerFailure: Error, CustomStringConvertible {
    let description: String
}

/// The package's folder, found from this file's place in it.
public let packageDirectory = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

/// Test clusters are named by their process, so that abandoned ones can be told.
private let clusterPrefix = "/var/tmp/jobrunner-test-pg."

/// Clusters of this process to stop at its end.
private let started = Mutex<[String]>([])

/// A server's two addresses, as `TestCluster` has them, and its folder.
struct StartedServer {
    var url: String
    var administratorURL: String
    var directory: String?
}

/// A folder for what is started, stopped and removed when this process ends, or by the next one if it is killed.
func newServerDirectory() -> String {
    let number = started.withLock { directories in
        if directories.isEmpty { atexit(stopAllServers) }
        directories.append("")
        return directories.count
    }
    let directory = "\(clusterPrefix)\(getpid()).\(number)"
    started.withLock { $0[number - 1] = directory }
    return directory
}

/// Starts a cluster, or a standby of the one in a folder.
func startServer(standbyOf primary: String? = nil) throws -> StartedServer {
    let directory = newServerDirectory()
    let output = try runPG(
        primary.map { ["standby", directory, $0] } ?? ["start", "--fast", directory])
    func address(_ name: String) throws -> String {
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix(name + "=") })
        else { throw ServerFailure(description: "no \(name) in: \(output)") }
        return String(line.dropFirst(name.count + 1))
    }
    return StartedServer(
        url: try address("DATABASE_URL"), administratorURL: try address("ADMINISTRATOR_URL"),
        directory: directory)
}

func stopServer(_ directory: String) throws {
    started.withLock { directories in
        for index in directories.indices where directories[index] == directory {
            directories[index] = ""
        }
    }
    _ = try runPG(["stop", directory])
}

/// Removes the clusters of test processes that were killed before they could.
func removeAbandonedClusters() {
    let folder = (clusterPrefix as NSString).deletingLastPathComponent
    let prefix = (clusterPrefix as NSString).lastPathComponent
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix(prefix) {
        let parts = name.split(separator: ".")
        guard parts.count == 3, let process = pid_t(parts[1]), kill(process, 0) != 0,
            errno == ESRCH
        else { continue }
        _ = try? runPG(["stop", "\(folder)/\(name)"])
    }
}

/// Runs `bin/pg` and returns what it printed; throws its last words when it fails.
func runPG(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: packageDirectory + "/bin/pg")
    process.arguments = arguments
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw ServerFailure(description: String(decoding: complaint, as: UTF8.self))
    }
    return String(decoding: said, as: UTF8.self)
}

private func stopAllServers() {
    for directory in started.withLock({ $0 }) where !directory.isEmpty {
        _ = try? runPG(["stop", directory])
    }
}
