import Foundation
import Synchronization
import Testing

/// `docs/operating/incidents.md`, whose blocks are what commands print in a staged incident.
///
/// Refresh with `JOBRUNNER_REFRESH_SNAPSHOT=1 bin/swift-test --filter IncidentTests`.
enum IncidentPage {
    private static let file = packageFolder.appending(path: "docs/operating/incidents.md")
    /// Tests of one process write it in turn.
    private static let turn = Mutex(())

    /// Compares the block behind the mark of this name with what was printed, or writes it anew.
    static func check(_ name: String, _ printed: String) throws {
        let begin = "<!-- shown: \(name) -->\n```\n"
        let end = "```\n"
        try turn.withLock { _ in
            var page = try String(contentsOf: file, encoding: .utf8)
            let start = try #require(page.range(of: begin), "the page has no mark \(name)")
            let stop = try #require(
                page.range(of: end, range: start.upperBound..<page.endIndex), "\(name) has no end")
            let block = start.upperBound..<stop.lowerBound
            if ProcessInfo.processInfo.environment["JOBRUNNER_REFRESH_SNAPSHOT"] == "1" {
                page.replaceSubrange(block, with: printed)
                try page.write(to: file, atomically: true, encoding: .utf8)
            } else {
                #expect(String(page[block]) == printed, "\(name)")
            }
        }
    }
}

/// What an operator types in an incident, with what it prints.
struct Transcript {
    let installation: Installation
    private(set) var text = ""

    init(_ installation: Installation) { self.installation = installation }

    /// Runs commands of the program, as another login where that is said; what they say on either stream is kept.
    mutating func run(
        _ lines: String..., by login: String = "", changes: [String: String] = [:]
    ) async throws {
        for line in lines {
            let ran = try await installation.run(line, changes)
            add("\(login)jobrunner \(line)", ran.output + ran.errors)
        }
    }

    /// Keeps what another command printed.
    mutating func add(_ command: String, _ printed: String) {
        text += "$ \(command)\n" + normal(printed)
    }

    /// Without what differs from one staging to the next: times, ports, numbers of processes, names of places, and how far
    /// a crowd of jobs had come.
    private func normal(_ printed: String) -> String {
        var text = printed.replacing(installation.folder.path, with: "/etc/jobrunner")
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count - 1)
        let name = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        text = text.replacing(" on \(name) (pid", with: " on host1 (pid")
        text = text.replacing(/127\.0\.0\.1:\d+/, with: "127.0.0.1:8080")
        text = text.replacing(/port \d+/, with: "port 5432")
        text = text.replacing(/pid \d+/, with: "pid 4711")
        text = text.replacing(/session \d+/, with: "session 4711")
        text = text.replacing(/pg_terminate_backend\(\d+\)/, with: "pg_terminate_backend(4711)")
        text = text.replacing(
            /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, with: "2026-11-28 09:40:00 UTC")
        text = text.replacing(/\d{2,4} (runs in a row|jobs wait)/) { "N \($0.output.1)" }
        text = text.replacing(/\(acme \d{2,4}\)/, with: "(acme N)")
        text = text.replacing(/such as user\d+/, with: "such as user1")
        return text.replacing(/\b\d+(\.\d+)? (s|min|h|days)\b/) { "N \($0.output.2)" }
    }

    /// Compares all of it with the page.
    func check(_ name: String) throws { try IncidentPage.check(name, text) }
}
