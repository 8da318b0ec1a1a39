import Foundation
import Testing

@testable import Telemetry

/// What ships beside the program names only what the program has.
@Suite struct DeploymentTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// A file's text, or that of all files of a folder, whose path ends with a slash.
    private func texts(_ path: String) throws -> String {
        guard path.hasSuffix("/") else { return try text(path) }
        let folder = root.appending(path: path).path
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .map { try text(path + $0) }.joined(separator: "\n")
    }

    @Test(arguments: [
        "deploy/prometheus/alerts.yaml", "deploy/grafana/jobrunner.json", "docs/operating/",
        "Tests/Alerts/alerts.test.yaml",
    ])
    func `every metric that is named is measured`(path: String) throws {
        let known = Set(MetricFamily.allCases.map(\.rawValue))
        let words = try texts(path).matches(of: /\b(jobrunner|process)_[a-z_]+\b/).map {
            String($0.0)
        }
        // Roles, a database and a channel have such names, too.
        let others = [
            "jobrunner_worker", "jobrunner_operator", "jobrunner_reader", "jobrunner_application",
            "jobrunner_work", "jobrunner_operate", "jobrunner_serve", "jobrunner_scratch",
            "jobrunner_event", "jobrunner_changed", "jobrunner_desk", "jobrunner_support",
            "jobrunner_scale",
        ]
        let named = words.filter { !others.contains($0) }
        #expect(!named.isEmpty)
        for name in named {
            let base = name.replacing(/_(bucket|count|sum)$/, with: "")
            #expect(known.contains(name) || known.contains(base), "\(path): \(name)")
        }
    }

    @Test func `the rules and the SQL raise an alert for the same troubles`() throws {
        let rule = try #require(
            try text("deploy/prometheus/alerts.yaml").firstMatch(of: /trouble=~"([a-z_|]+)"/))
        // Kind, about, words, hint, alerts: the lines of the view's values.
        let told = try text("sql/views/kinds_of_trouble.sql")
            .matches(
                of: /\('([a-z_]+)',\s*'(?:[^']|'')*',\s*'(?:[^']|'')*',\s*'(?:[^']|'')*',\s*true/)
        #expect(Set(rule.1.split(separator: "|")) == Set(told.map(\.1)))
        #expect(told.count > 10)
    }

    @Test func `every alert has a runbook, and the SQL has the alerts of the rules`() throws {
        let rules = try text("deploy/prometheus/alerts.yaml").matches(
            of: /alert: Jobrunner([A-Za-z]+)/
        )
        .map { String($0.1) }
        let views = Set(
            try text("sql/views/raised_alerts.sql").matches(of: /select '([a-z_]+)'/).map {
                String($0.1)
            }
        )
        let manual = try text("docs/operating/alerts.md")
        #expect(rules.count == 12)
        for rule in rules {
            #expect(manual.contains("`Jobrunner\(rule)`"), "\(rule)")
            let word = rule.replacing(/[A-Z]/) { "_" + $0.0.lowercased() }.dropFirst()
            let plain = String(word).replacing(/_(fast|slow)$/, with: "")
            // That a scrape fails is Prometheus' own.
            #expect(plain == "down" || views.contains(plain), "\(plain)")
        }
        #expect(views.count == 10)
    }

    @Test func `Prometheus takes the rules, and each alert fires with its cause and ends with it`()
        throws
    {
        for arguments in [
            ["check", "rules", "deploy/prometheus/alerts.yaml"],
            ["test", "rules", "Tests/Alerts/alerts.test.yaml"],
        ] {
            let process = Process()
            process.executableURL = root.appending(path: "bin/promtool")
            process.arguments = arguments
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let said = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(said)")
        }
    }
}
