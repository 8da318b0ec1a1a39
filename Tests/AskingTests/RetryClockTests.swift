import HTTP
import JSON
import JobFiles
import JobQueue
import TestJobFiles
import Testing

@testable import Asking

@Suite struct RetryClockTests {
    private func clock(_ retry: String = "{}") throws -> RetryClock {
        let file = try jobFile(source: "{ id: hub, base: \"https://h.example\", retry: \(retry) }")
        return RetryClock(rule: file.source.retry)
    }

    @Test func `three attempts wait one second, then two, less the jitter`() throws {
        let clock = try clock()
        var shortest = Duration.seconds(9)
        for _ in 0..<500 {
            let first = try #require(clock.wait(afterAttempt: 1, asked: nil))
            let second = try #require(clock.wait(afterAttempt: 2, asked: nil))
            #expect((.milliseconds(800) ... .seconds(1)).contains(first))
            #expect((.milliseconds(1600) ... .seconds(2)).contains(second))
            shortest = min(shortest, first)
        }
        #expect(shortest < .milliseconds(900))
        #expect(clock.wait(afterAttempt: 3, asked: nil) == nil)
    }

    @Test func `without jitter the waits are exact, with one attempt there is none`() throws {
        let exact = try clock("{ attempts: 10, first: 250ms, factor: 3, jitter: 0 }")
        #expect(exact.wait(afterAttempt: 1, asked: nil) == .milliseconds(250))
        #expect(exact.wait(afterAttempt: 3, asked: nil) == .milliseconds(2250))
        #expect(exact.wait(afterAttempt: 10, asked: nil) == nil)
        #expect(try clock("{ attempts: 1 }").wait(afterAttempt: 1, asked: .seconds(1)) == nil)
    }

    @Test func `the largest rule a job file may hold overflows nothing`() throws {
        let clock = try clock("{ attempts: 10, first: 10m, factor: 10, jitter: 0 }")
        let wait = try #require(clock.wait(afterAttempt: 9, asked: nil))
        #expect(wait > .seconds(59_000_000_000))
        #expect(ContinuousClock.now + wait > .now)
    }

    private func trouble(_ status: Int, _ headers: [String: String]) throws -> RetryClock.Trouble? {
        let response = HTTPResponse(
            status: status, headers: headers.map { HTTPHeader($0.key, $0.value) })
        return try clock().trouble(
            in: Answer(
                response,
                to: HTTPRequest(method: "GET", url: "https://h.example/x", headers: [], body: nil),
                nil), of: "GET /x", retries: false,
            nowUnixSeconds: 1_800_000_000)
    }

    @Test(arguments: [400, 401, 403, 420, 423, 429])
    func `a refusal that names a wait is waited for, whatever its status`(_ status: Int) throws {
        let trouble = try #require(try trouble(status, ["Retry-After": "90.5"]))
        #expect(trouble.asked == .seconds(90.5))
        #expect(trouble.end.outcome == .deferred)
    }

    @Test(arguments: ["X-RateLimit", "RateLimit", "X-Rate-Limit"])
    func `a refusal with a spent rate limit is waited for until it is filled again`(
        _ prefix: String
    ) throws {
        let spent = try trouble(
            403, ["\(prefix)-Remaining": "0", "\(prefix)-Reset": "1800000040"])
        #expect(spent?.asked == .seconds(40))
        #expect(try trouble(403, ["\(prefix)-Remaining": "0"])?.asked == unsaidWait)
        #expect(try trouble(403, ["\(prefix)-Remaining": "3", "\(prefix)-Reset": "9"]) == nil)
    }

    @Test(arguments: [404, 409, 410, 412])
    func `what a status says of a record is no refusal`(_ status: Int) throws {
        #expect(try trouble(status, ["X-RateLimit-Remaining": "0"]) == nil)
    }

    @Test func `a wait the source asks for is taken as it is`() throws {
        #expect(try clock().wait(afterAttempt: 1, asked: .seconds(7)) == .seconds(7))
    }

    @Test(arguments: [
        ("0", 1.0), ("7", 7), (" 7 ", 7), ("-5", 1), ("00", 1), ("172800", 172_800),
        ("172801", 172_800),
        ("99999999999999999999999999", 172_800), ("9223372036854775807", 172_800),
        ("Thu, 01 Jan 1970 00:16:50 GMT", 10), ("Thu, 01 Jan 1970 00:00:00 GMT", 1),
        // A number of this size is a time, as X-RateLimit-Reset has it.
        ("1700000030", 172_800), ("soon", nil), ("", nil), ("7.5", 7.5), ("1e3", 1000),
        ("1970-01-01T00:16:50Z", 10),
    ]) func `patience is read from a header and capped`(_ value: String, _ seconds: Double?) throws
    {
        let response = HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", value)])
        let asked = try clock().askedWait(response, nowUnixSeconds: 1000)
        #expect(asked == seconds.map { .seconds($0) })
    }

    @Test func `a Unix time in a header is waited for, not waited`() throws {
        let clock = try clock("{ wait_from: [{ header: X-RateLimit-Reset }] }")
        let response = HTTPResponse(
            status: 429, headers: [HTTPHeader("x-ratelimit-reset", "1700000030")])
        #expect(clock.askedWait(response, nowUnixSeconds: 1_700_000_000) == .seconds(30))
        #expect(clock.askedWait(response, nowUnixSeconds: 1_700_000_100) == .seconds(1))
    }

    @Test(arguments: [
        ("{\"w\": 2}", 2.0), ("{\"w\": 2.5}", 2.5), ("{\"w\": \"3\"}", 3), ("{\"w\": -1}", 1),
        ("{\"w\": 0.02}", 1),
        ("{\"w\": 1e308}", 172_800), ("{\"w\": 1e999}", nil), ("{\"w\": \"nan\"}", nil),
        ("{\"w\": \"inf\"}", nil), ("{\"w\": null}", nil), ("{}", nil), ("not json", nil),
        ("{\"w\": \"-1e999\"}", nil), ("{\"w\": [1]}", nil),
    ]) func `patience is read from a body, whatever the source writes there`(
        _ body: String, _ seconds: Double?
    ) throws {
        let clock = try clock("{ wait_from: [{ header: Backoff }, { body: w }] }")
        let response = HTTPResponse(status: 503, body: Array(body.utf8))
        #expect(clock.askedWait(response, nowUnixSeconds: 0) == seconds.map { .seconds($0) })
    }

    @Test(arguments: [
        ("{ body: retry_after_ms, unit: ms }", "{\"retry_after_ms\": 1221}", 1221),
        ("{ body: wait, unit: s }", "{\"wait\": 2}", 2000),
        ("{ body: wait }", "{\"wait\": 2}", 2000),
        ("{ body: wait, unit: ms }", "{\"wait\": \"2500\"}", 2500),
        ("{ body: wait, unit: ms }", "{\"wait\": -3}", 1000),
        ("{ body: reset, unit: ms }", "{\"reset\": 1700000030000}", 30_000),
        ("{ header: x-retry-after-ms, unit: ms }", "{}", 1500),
    ]) func `a wait is counted in the unit that the file says`(
        _ place: String, _ body: String, _ milliseconds: Int
    ) throws {
        let clock = try clock("{ wait_from: [\(place)] }")
        let response = HTTPResponse(
            status: 429, headers: [HTTPHeader("X-Retry-After-Ms", "1500")],
            body: Array(body.utf8))
        #expect(
            clock.askedWait(response, nowUnixSeconds: 1_700_000_000)
                == .milliseconds(milliseconds))
    }

    @Test func `only the declared classes are retried`() throws {
        let standard = try clock()
        let retried = [408, 429, 500, 502, 503, 504, 599]
        let final = [200, 304, 400, 401, 403, 404, 409, 421, 425, 499]
        #expect(retried.allSatisfy { standard.retries(status: $0) })
        #expect(!final.contains { standard.retries(status: $0) })
        let one = try clock("{ on: [503] }")
        #expect(one.retries(status: 503) && !one.retries(status: 500) && !one.retries(status: 429))
        #expect(!one.retries(HTTPError.timedOut(phase: .waiting)))
        let timeouts = try clock("{ on: [timeout] }")
        #expect(timeouts.retries(HTTPError.timedOut(phase: .waiting)))
        #expect(!timeouts.retries(HTTPError.connect("")))
        #expect(standard.retries(HTTPError.truncated))
        #expect(!standard.retries(HTTPError.tls("")) && !standard.retries(HTTPError.cancelled))
    }
}
