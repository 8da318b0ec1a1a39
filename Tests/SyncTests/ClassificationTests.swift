import HTTP
import Postgres
import JobQueue
import Reading
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
            (
                .addressRefused(AddressRefusal(address: "::1", range: "", canBeNamed: true)),
                "rejected"
            ), (.addressNotPublic, "rejected"),
        ]
        for (error, word) in table {
            #expect(classified(error as any Error).errorKind == word, "\(error)")
            let isStop = word == "cancelled"
            #expect(
                classified(error as any Error).outcome == (isStop ? .partial : .failed), "\(error)")
        }
    }

    @Test func `what this process lacks, or all pages together, puts a run off`() {
        for error in [HTTPError.lacking("file descriptor"), .crowded(limit: 1)] {
            let end = classified(error as any Error)
            #expect(end.outcome == .deferred && end.errorKind == "crowded")
        }
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
            #expect(classified(databaseError(code) as any Error).errorKind == word, "\(code)")
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

    @Test func `a page that can't be gone on with has its kind`() {
        let table: [(PageError, String)] = [
            (.malformed("m"), "malformed"), (.foreignOrigin("m"), "rejected"),
            (.cursorLoop("m"), "cursor_loop"), (.truncated("m"), "truncated"),
        ]
        for (error, word) in table {
            #expect(classified(error as any Error) == .failed(kind: word, message: "m"))
        }
    }

    @Test func `every end has one outcome, a lost run has none`() {
        let table: [(RunEnd, Outcome?, String, String?)] = [
            (.failed(kind: "user_not_found", message: "m"), .failed, "user_not_found", "m"),
            (.failed(.malformed, "m"), .failed, "malformed", "m"),
            (
                .deferred(.breakerOpen, message: "m", wait: .seconds(1)), .deferred, "breaker_open",
                "m"
            ),
            (.needsReauth(message: "m"), .needsReauth, "unauthorised", "m"),
            (.skipped(message: "m"), .skipped, "missing", "m"),
            (.interrupted(.pageCap), .partial, "page_cap", nil), (.lost, nil, "lost", nil),
        ]
        for (end, outcome, word, message) in table {
            #expect(end.outcome == outcome)
            #expect(end.errorKind == word)
            #expect(end.message == message)
        }
    }
}
