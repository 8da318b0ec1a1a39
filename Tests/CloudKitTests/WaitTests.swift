import Asking
import HTTP
import JobQueue
import Reading
import Testing

@testable import CloudKit

@Suite struct WaitTests {
    private let dialect = userDialect()

    private func throttled(_ status: Int, retryAfter: String?, header: String? = nil)
        throws -> SourceFailure
    {
        let wait = retryAfter.map { #","retryAfter":\#($0)"# } ?? ""
        let body = """
            {"uuid":"wsThrottles_1","serverErrorCode":"THROTTLED","error_code":"THROTTLED",
            "reason":"Database throttled, retry later"\(wait),"messageForDeveloper":"m"}
            """
        let headers = header.map { [("Retry-After", $0)] } ?? []
        return try #require(dialect.failure(answer(status, body, headers: headers)))
    }

    @Test(arguments: [200, 429, 503])
    func `MS28 6 a throttle of more than a day defers the run as long, whatever the status`(
        _ status: Int
    ) throws {
        let failure = try throttled(status, retryAfter: "110207")
        #expect(failure.code == "THROTTLED")
        #expect(failure.wait == .seconds(110_207))
        #expect(!failure.mayPass)
        #expect(
            failure.end
                == .deferred(
                    .rateLimited,
                    message: "CloudKit answered \(status) THROTTLED: Database throttled, retry "
                        + "later (request wsThrottles_1)",
                    wait: .seconds(110_207)))
    }

    @Test(
        arguments: [
            // In the body: whole, with a fraction, as text, absurd.
            ("30", nil, 30.0), ("2.5", nil, 2.5), (#""30""#, nil, 30), (#""1.5""#, nil, 1.5),
            ("0", nil, 0), ("-5", nil, 0), ("1e30", nil, 172_800), ("172801", nil, 172_800),
            // In the header only.
            (nil, "30", 30), (nil, "1.5", 1.5), (nil, " 7 ", 7),
            // In both: the larger.
            ("10", "30", 30), ("30", "10", 30), ("0", "0", 0), ("5", "soon", 5), ("null", "4", 4),
            // In neither, or nothing that is a wait.
            (nil, nil, nil), ("null", nil, nil), ("true", nil, nil), (#""soon""#, nil, nil),
            (#""nan""#, nil, nil), (#""inf""#, nil, nil), ("1e999", nil, nil), ("[30]", nil, nil),
            (nil, "", nil),
        ] as [(String?, String?, Double?)])
    func `6 a wait is read from body and header, and the larger one holds`(
        _ body: String?, _ header: String?, _ seconds: Double?
    ) throws {
        let failure = try throttled(429, retryAfter: body, header: header)
        #expect(failure.wait == seconds.map { .seconds($0) })
        guard case .deferred(.rateLimited, _, let wait) = failure.end else {
            Issue.record("\(failure.end)")
            return
        }
        #expect(wait == seconds.map { .seconds($0) } ?? .seconds(60))
        #expect(failure.mayPass == (seconds.map { $0 <= 60 } ?? false))
    }

    @Test func `6 a date in Retry-After is counted from the answer's own date`() throws {
        let date = "Fri, 02 Jan 2026 03:04:05 GMT"
        let later = "Fri, 02 Jan 2026 03:04:35 GMT"
        let both = [("Date", date), ("Retry-After", later)]
        #expect(dialect.failure(answer(503, "", headers: both))?.wait == .seconds(30))
        let alone = [("Retry-After", later)]
        #expect(dialect.failure(answer(503, "", headers: alone))?.wait == nil)
        let past = [("Date", later), ("Retry-After", date)]
        #expect(dialect.failure(answer(503, "", headers: past))?.wait == .zero)
    }

    @Test func `6 a 429 without a CloudKit error is a throttle too`() throws {
        let failure = try #require(dialect.failure(answer(429, "<html>slow down</html>")))
        let message = "CloudKit answered 429 without an error of its own"
        #expect(failure.end == .deferred(.rateLimited, message: message, wait: .seconds(60)))
        #expect(!failure.mayPass)
    }

    @Test(arguments: [
        ("TRY_AGAIN_LATER", 503), ("TRY_AGAIN_LATER", 200), ("INTERNAL_ERROR", 500),
        ("ZONE_BUSY", 503), ("ZONE_BUSY", 200),
    ]) func `6 an error that passes and names a wait is waited for, in the run when that is short`(
        _ code: String, _ status: Int
    ) throws {
        for (seconds, mayPass) in [(0, true), (60, true), (61, false), (7200, false)] {
            let text = #"{"serverErrorCode":"\#(code)","reason":"r","retryAfter":\#(seconds)}"#
            let failure = try #require(dialect.failure(answer(status, text)))
            #expect(failure.mayPass == mayPass)
            let message = "CloudKit answered \(status) \(code): r"
            #expect(
                failure.end == .deferred(.unavailable, message: message, wait: .seconds(seconds)))
        }
    }

    @Test func `6 an error that passes without naming a wait is tried again, then has failed`()
        throws
    {
        let failure = try #require(
            dialect.failure(answer(503, #"{"serverErrorCode":"TRY_AGAIN_LATER"}"#)))
        #expect(failure.mayPass)
        #expect(failure.wait == nil)
        let message = "CloudKit answered 503 TRY_AGAIN_LATER"
        #expect(failure.end == .failed(kind: "unavailable", message: message))
    }

    @Test func `4.4 a wait does not make a final error pass`() throws {
        let text = #"{"serverErrorCode":"QUOTA_EXCEEDED","retryAfter":5}"#
        let failure = try #require(dialect.failure(answer(413, text)))
        #expect(failure.wait == .seconds(5))
        #expect(!failure.mayPass)
    }
}
