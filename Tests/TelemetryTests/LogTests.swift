import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Telemetry

private let noon = WallTime(millisecondsSince1970: 1_795_262_400_123)
private let subject = Subject(
    tenant: "acme", user: "ann", job: "metube.refresh", jobID: 7, run: 9, fence: 11, worker: 3)

private func summary(
    _ outcome: String = "complete", changed: Int = 4, error: String? = nil
) -> RunSummary {
    RunSummary(
        outcome: outcome, pages: 2, requests: 3, fetched: 5, changed: changed,
        took: .microseconds(12_340), errorKind: error == nil ? nil : "rejected", error: error)
}

private func lines(
    _ events: [Event], _ format: LineFormat = .text, _ level: Level = .debug
) -> [String] {
    let lines = Lines()
    let log = Log(LogSettings(format: format, level: level), sink: lines.sink, now: { noon })
    events.forEach(log.emit)
    return lines.all
}

private let everyEvent: [Event] = {
    let long = String(repeating: "\u{1b}\"", count: 4000)
    let subject = Subject(
        tenant: long, user: long, job: long, jobID: .min, run: .min, fence: .min, worker: .min)
    let summary = RunSummary(
        outcome: long, pages: .min, requests: .min, fetched: .min, changed: .min,
        took: .seconds(Int64.max), errorKind: long, error: long)
    return [
        .workerStarted(subject, host: long, pid: .min, version: long, capacity: .min),
        .listening(subject, address: long),
        .workerDraining(subject, running: .min, reason: long),
        .workerStopped(subject, runs: .min, uptime: .seconds(1)),
        .databaseLost(subject, error: long, failures: 1), .databaseBack(subject, after: .zero),
        .runFinished(subject, summary), .runLost(subject, at: long),
        .runDeferred(subject, wait: .seconds(1), reason: long),
        .recordsIncompatible(
            subject, entity: long, incompatible: .min, fetched: .min, field: long),
        .sweepRefused(subject, entity: long, reason: long),
        .runOverdue(subject, since: .seconds(1)), .jobFileRefused(subject, mistake: long),
        .jobsReaped(subject, count: .min), .jobQuarantined(subject, reason: long),
        .sourceBlocked(subject, source: long, wait: .seconds(1), reason: long),
        .sourceUnblocked(subject, source: long), .passEndless(subject),
        .callWarned(subject, call: long, error: long),
        .pageCommitted(subject, entity: long, page: .min, fetched: .min, changed: .min),
        .duplicatesFound(subject, table: long, columns: [long], values: .min, rows: .min),
        .internalError(subject, message: long, location: long), .linesDropped(count: .min),
    ]
}()

@Suite struct LogTests {
    @Test func `a text line has time, level, words and fields`() {
        #expect(
            lines([.runFinished(subject, summary("failed", error: "HTTP 500: no"))]) == [
                "2026-11-21T12:00:00.123Z info run finished worker=3 tenant=acme user=ann "
                    + "job=metube.refresh job_id=7 run=9 fence=11 outcome=failed pages=2 requests=3 "
                    + "fetched=5 changed=4 took_ms=12.34 error_kind=rejected error=\"HTTP 500: no\"\n"
            ])
    }

    @Test func `a JSON line has the same fields, typed`() throws {
        let line = try #require(
            lines([.runFinished(subject, summary("failed", error: "a\n\"b\""))], .json).first)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["time"] as? String == "2026-11-21T12:00:00.123Z")
        #expect(object["level"] as? String == "info")
        #expect(object["event"] as? String == "run_finished")
        #expect(object["run"] as? Int == 9)
        #expect(object["took_ms"] as? Double == 12.34)
        #expect(object["error"] as? String == "a\n\"b\"")
        #expect(object.count == 18)
    }

    @Test func `absent ids leave no field`() {
        #expect(
            lines([.jobsReaped(Subject(worker: 4), count: 2)]) == [
                "2026-11-21T12:00:00.123Z warning jobs reaped worker=4 count=2\n"
            ])
    }

    @Test(
        arguments: [
            ("a\nb error forged", "\"a\\nb error forged\""), ("\u{1b}[31m", "\"\\u001b[31m\""),
            ("", "\"\""), ("a=b", "\"a=b\""), ("a\"b", "\"a\\\"b\""), ("a\\b", "\"a\\\\b\""),
            ("é", "é"), ("\u{0}\u{7f}\u{9b}", "\"\\u0000\\u007f\\u009b\""),
            ("\u{2028}\u{202e}\u{feff}", "\"\\u2028\\u202e\\ufeff\""),
            ("\u{200b}\u{200d}\u{2060}\u{ad}", "\"\\u200b\\u200d\\u2060\\u00ad\""),
            ("\r\t", "\"\\r\\t\""),
        ])
    func `what a value holds can't leave its field`(value: String, written: String) {
        #expect(
            lines([.jobQuarantined(Subject(), reason: value)]) == [
                "2026-11-21T12:00:00.123Z error job quarantined reason=\(written)\n"
            ])
    }

    @Test(arguments: LineFormat.allCases)
    func `no event can make a line longer than a pipe takes whole`(format: LineFormat) throws {
        let written = lines(everyEvent, format)
        #expect(written.count == everyEvent.count)
        for line in written {
            #expect(line.utf8.count <= 4096)
            #expect(line.utf8.filter { $0 < 0x20 } == [UInt8(ascii: "\n")])
            if format == .json {
                #expect(throws: Never.self) {
                    try JSONSerialization.jsonObject(with: Data(line.utf8))
                }
            }
        }
    }

    @Test func `a cut splits neither a character nor an escape, and says so`() {
        for limit in 0...40 {
            let cut = Escaping.escaped("ab\u{1b}é\u{1F600}\n\u{2028}end of the text", limit: limit)
            #expect(cut.utf8.count <= limit)
            let quoted = Data("\"\(cut)\"".utf8)
            #expect(throws: Never.self) {
                try JSONSerialization.jsonObject(with: quoted, options: .fragmentsAllowed)
            }
            #expect(cut.isEmpty ? limit < 3 : cut.hasSuffix("…") || limit >= 37)
        }
        #expect(Escaping.escaped("abc", limit: 3) == "abc")
        #expect(Escaping.escaped("abcd", limit: 3) == "…")
    }

    @Test func `a level lets through itself and what is more serious`() {
        for level in Level.allCases {
            let names = Set(lines(everyEvent, .json, level).map { $0.split(separator: "\"")[7] })
            #expect(
                names.isSubset(
                    of: ["error", "warning", "info", "debug"].prefix {
                        Level(rawValue: $0).map { $0 <= level } ?? false
                    }.map { Substring($0) }))
            #expect(names.contains(Substring(level.rawValue)))
        }
    }

    @Test func `only a complete run that changed nothing is for debugging`() {
        func shown(_ summary: RunSummary) -> Bool {
            !lines([.runFinished(subject, summary)], .text, .info).isEmpty
        }
        #expect(!shown(summary(changed: 0)))
        #expect(shown(summary(changed: 1)))
        #expect(shown(summary("partial", changed: 0)))
        #expect(shown(summary(changed: 0, error: "one entity failed")))
    }

    @Test func `dropped lines are counted and told before the next line`() {
        let lines = Lines()
        let log = Log(LogSettings(), sink: lines.sink, now: { noon })
        lines.take(false)
        for _ in 0..<3 { log.emit(.jobsReaped(Subject(), count: 1)) }
        lines.take(true)
        log.emit(.jobsReaped(Subject(), count: 2))
        #expect(
            lines.all == [
                "2026-11-21T12:00:00.123Z warning lines dropped count=3\n",
                "2026-11-21T12:00:00.123Z warning jobs reaped count=2\n",
            ])
    }

    @Test func `settings come from the environment and name the choices`() throws {
        let set = ["JOBRUNNER_LOG": "json", "JOBRUNNER_LOG_LEVEL": "debug"]
        #expect(try LogSettings(environment: set) == LogSettings(format: .json, level: .debug))
        #expect(try LogSettings(environment: ["JOBRUNNER_LOG": ""]) == LogSettings())
        #expect {
            try LogSettings(environment: ["JOBRUNNER_LOG_LEVEL": "lo\nud"])
        } throws: {
            "\($0)"
                == "JOBRUNNER_LOG_LEVEL is \"lo\\nud\"; expected error or warning or info or debug"
        }
    }
}
