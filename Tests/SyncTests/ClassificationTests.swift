import HTTP
import Postgres
import Queue
import Testing

@testable import Sync

@Suite struct ClassificationTests {
    @Test func `every network error has its kind`() {
        let table: [(HTTPError, String)] = [
            (.invalidRequest(""), "rejected"), (.timedOut(phase: .queued), "timed_out"),
            (.timedOut(phase: .receiving), "timed_out"), (.cancelled, "cancelled"),
            (.resolve(""), "unavailable"), (.connect(""), "unavailable"), (.tls(""), "rejected"),
            (.sendOrReceive(""), "unavailable"), (.truncated, "unavailable"),
            (.badEncoding, "malformed"), (.tooLarge(.wire, limit: 1), "malformed"),
            (.redirectRefused(host: "h"), "rejected"), (.tooManyRedirects, "rejected"),
            (.addressRefused, "rejected"),
        ]
        for (error, word) in table {
            #expect(classified(error as any Error).word == word, "\(error)")
            let isStop = word == "cancelled"
            #expect(classified(error).outcome == (isStop ? .partial : .failed), "\(error)")
        }
    }

    @Test(arguments: [
        (401, "unauthorised", "rejected"), (403, "unauthorised", "rejected"),
        (421, "unauthorised", "rejected"), (408, "timed_out", "timed_out"),
        (429, "rate_limited", "rate_limited"), (500, "unavailable", "unavailable"),
        (503, "unavailable", "unavailable"), (599, "unavailable", "unavailable"),
        (400, "rejected", "rejected"), (404, "rejected", "rejected"), (409, "rejected", "rejected"),
        (304, "rejected", "rejected"), (204, "rejected", "rejected"),
    ]) func `a status parks the job only when there is a credential to renew`(
        _ status: Int, _ signedIn: String, _ anonymous: String
    ) {
        func end(_ hasCredential: Bool) -> RunEnd {
            classified(status: status, of: "GET /x", excerpt: "why", hasCredential: hasCredential)
        }
        #expect(end(true).word == signedIn)
        #expect(end(false).word == anonymous)
        #expect(end(true).message == "GET /x was answered with \(status): why")
        #expect((end(true).outcome == .needsReauth) == (signedIn == "unauthorised"))
    }

    @Test func `every database error has its kind`() {
        let table: [(DatabaseError.Code, String)] = [
            (.server("22003"), "malformed"), (.server("22P02"), "malformed"),
            (.server("21000"), "malformed"), (.server("23505"), "database"),
            (.server("40001"), "database"), (.server("57P01"), "database"),
            (.server("42P01"), "database"), (.connectionLost, "database"),
            (.notConnected, "database"), (.timedOut, "database"), (.cancelled, "cancelled"),
            (.commitUnknown, "database"), (.rolledBackAtCommit, "database"),
            (.decoding, "database"), (.misuse, "database"), (.invalidConfiguration, "database"),
        ]
        for (code, word) in table {
            #expect(classified(databaseError(code) as any Error).word == word, "\(code)")
        }
    }

    @Test func `what the verbs refuse ends a run as it must`() {
        #expect(classified(QueueError.lost as any Error) == .lost)
        #expect(classified(QueueError.workerEnded as any Error) == .lost)
        #expect(classified(QueueError.superseded as any Error) == .interrupted(.reset))
        #expect(
            classified(QueueError.refused(message: "m", hint: nil) as any Error)
                == .failed(.database, "m"))
        #expect(classified(CancellationError()) == .interrupted(.cancelled))
        #expect(classified(RunEnd.lost as any Error) == .lost)
    }

    @Test func `every end has one outcome, a lost run has none`() {
        let table: [(RunEnd, Outcome?, String, String?)] = [
            (.failed(word: "user_not_found", message: "m"), .failed, "user_not_found", "m"),
            (.failed(.malformed, "m"), .failed, "malformed", "m"),
            (.deferred(.blocked, message: "m", wait: .seconds(1)), .deferred, "blocked", "m"),
            (.needsReauth(message: "m"), .needsReauth, "unauthorised", "m"),
            (.skipped(message: "m"), .skipped, "missing", "m"),
            (.interrupted(.pageCap), .partial, "page_cap", nil), (.lost, nil, "lost", nil),
        ]
        for (end, outcome, word, message) in table {
            #expect(end.outcome == outcome)
            #expect(end.word == word)
            #expect(end.message == message)
        }
    }

    @Test(arguments: [
        ("https://h.example/a/b?key=secret", "GET /a/b"), ("https://h.example", "GET /"),
        ("https://h.example/?key=secret", "GET /"), ("https://h.example?key=a/secret", "GET /"),
        ("nonsense", "GET /"), ("", "GET /"),
    ]) func `a request's label never holds its query`(_ url: String, _ expected: String) {
        #expect(label(HTTPRequest(url: url)) == expected)
    }

    @Test func `a request's label holds no query, whatever stands beside the question mark`() {
        for url in ["https://h.example/a\u{600}?key=s", "https://h.example/a?\u{301}key=s"] {
            let request = HTTPRequest(method: "GET", url: url, headers: [], body: nil)
            #expect(!label(request).contains("key"))
        }
    }
}
