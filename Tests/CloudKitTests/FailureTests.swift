import Asking
import HTTP
import JobQueue
import Reading
import Testing

@testable import CloudKit

@Suite struct FailureTests {
    private let dialect = userDialect()

    private func body(_ code: String, _ reason: String = "why", more: String = "") -> String {
        #"{"uuid":"body-id","serverErrorCode":"\#(code)","reason":"\#(reason)"\#(more)}"#
    }

    @Test(arguments: [
        (200, #"{"records":[]}"#),
        (200, #"{"zones":[{"zoneID":{"zoneName":"Z"},"records":[],"syncToken":"t"}]}"#),
        (200, #"{"zones":[]}"#), (200, #"{"zones":7}"#), (200, "[]"), (200, ""),
        (200, #"{"serverErrorCode":null,"records":[]}"#),
        // Errors of records are the records' own.
        (200, #"{"records":[{"recordName":"a","serverErrorCode":"CONFLICT"}]}"#),
        (304, ""),
    ]) func `6 an answer that fails as a whole in nothing is no failure`(
        _ status: Int, _ body: String
    ) { #expect(dialect.failure(answer(status, body)) == nil) }

    @Test(arguments: [
        ("ACCESS_DENIED", 403, "access_denied"), ("ATOMIC_ERROR", 400, "atomic_error"),
        ("BAD_REQUEST", 400, "bad_request"), ("CONFLICT", 409, "conflict"),
        ("EXISTS", 409, "exists"), ("NOT_FOUND", 404, "not_found"),
        ("QUOTA_EXCEEDED", 413, "quota_exceeded"),
        ("VALIDATING_REFERENCE_ERROR", 412, "validating_reference_error"),
        ("ZONE_NOT_FOUND", 404, "zone_not_found"),
        ("CHANGE_TOKEN_EXPIRED", 400, "change_token_expired"),
    ]) func `6 a final error fails the run with its code as the word, by status and inside a 200`(
        _ code: String, _ status: Int, _ word: String
    ) throws {
        let whole = try #require(dialect.failure(answer(status, body(code))))
        let inside = try #require(dialect.failure(answer(200, body(code))))
        let ofZone = try #require(
            dialect.failure(answer(200, #"{"zones":[\#(body(code))]}"#)))
        for failure in [whole, inside, ofZone] {
            #expect(failure.code == code)
            #expect(failure.reason == "why")
            #expect(failure.wait == nil)
            #expect(!failure.mayPass)
        }
        let tail = "\(code): why (request body-id)"
        #expect(
            whole.end == .failed(kind: word, message: "CloudKit answered \(status) \(tail)"))
        #expect(inside.end == .failed(kind: word, message: "CloudKit answered 200 \(tail)"))
        #expect(ofZone.end == inside.end)
    }

    @Test(
        arguments: [
            ("BAD_REQUEST", 400, true), ("BAD_REQUEST", 413, true), ("BAD_REQUEST", 200, true),
            ("ATOMIC_ERROR", 400, true), ("NOT_FOUND", 404, true), ("LIMIT_EXCEEDED", 422, true),
            (nil, 400, true), (nil, 413, true), (nil, 404, true),
            ("NOT_FOUND", 200, false), ("QUOTA_EXCEEDED", 413, false),
            ("ZONE_NOT_FOUND", 404, false),
            ("ACCESS_DENIED", 403, false), ("BAD_REQUEST", 401, false), ("CONFLICT", 409, false),
            ("VALIDATING_REFERENCE_ERROR", 412, false), ("AUTHENTICATION_REQUIRED", 421, false),
            (nil, 401, false), (nil, 403, false), (nil, 408, false), (nil, 409, false),
            (nil, 412, false), (nil, 421, false), (nil, 429, false), (nil, 500, false),
        ] as [(String?, Int, Bool)])
    func `6 an error is of what the request holds, or no part of the request would do better`(
        _ code: String?, _ status: Int, _ isOfContent: Bool
    ) throws {
        let failure = try #require(
            dialect.failure(answer(status, code.map { body($0) } ?? "not JSON")))
        #expect(failure.refusesContent == isOfContent)
    }

    @Test(arguments: [
        (
            "Field 'modifiedTimestamp' is not marked sortable",
            "a SORTABLE index for it to record type Recipe"
        ),
        (
            "Field 'ownerID' is not marked queryable",
            "a QUERYABLE index for it to record type Recipe"
        ),
        (
            "Field '___modTime' is not marked queryable",
            "a QUERYABLE index for modifiedTimestamp to record type Recipe"
        ),
    ]) func `5.1 an index that is missing is named in one line, with what makes it`(
        _ reason: String, _ cure: String
    ) throws {
        let asked = #"{"query":{"recordType":"Recipe","sortBy":[]},"resultsLimit":1}"#
        let said = try #require(
            dialect.failure(answer(400, body("BAD_REQUEST", reason)), asked: asked))
        #expect(
            said.end
                == .failed(
                    kind: "bad_request",
                    message:
                        "CloudKit answered 400 BAD_REQUEST: \(reason): add \(cure) in CloudKit's console (request body-id)"
                ))
        #expect(said.reason == reason)
    }

    @Test(arguments: [nil, "not JSON", #"{"query":7}"#])
    func
        `5.1 an index is named where the request does not tell the record type`(_ asked: String?)
        throws
    {
        let reason = "Field 'ownerID' is not marked queryable"
        let said = try #require(
            dialect.failure(answer(400, body("BAD_REQUEST", reason)), asked: asked))
        #expect(
            said.end
                == .failed(
                    kind: "bad_request",
                    message:
                        "CloudKit answered 400 BAD_REQUEST: \(reason): add a QUERYABLE index for it to the record type in CloudKit's console (request body-id)"
                ))
    }

    @Test func `5.4 a zone's error inside a 200 is the answer's, as a zone that is gone`() throws {
        let text = """
            {"zones":[{"zoneID":{"zoneName":"Gone"},"serverErrorCode":"ZONE_NOT_FOUND",
            "reason":"Zone does not exist"}]}
            """
        let failure = try #require(
            dialect.failure(answer(200, text, headers: [("x-apple-request-uuid", "head-id")])))
        #expect(failure.code == "ZONE_NOT_FOUND")
        #expect(failure.reason == "Zone does not exist")
        #expect(
            failure.end
                == .failed(
                    kind: "zone_not_found",
                    message: "CloudKit answered 200 ZONE_NOT_FOUND: Zone does not exist "
                        + "(request head-id)"))
    }

    @Test(arguments: ["Unknown sync continuation type", "Invalid continuation format"])
    func `5.4 a lost sync token keeps code and reason, by which a job file tells it`(
        _ reason: String
    ) throws {
        for text in [body("BAD_REQUEST", reason), #"{"zones":[\#(body("BAD_REQUEST", reason))]}"#] {
            let failure = try #require(dialect.failure(answer(200, text)))
            #expect(failure.code == "BAD_REQUEST")
            #expect(failure.reason == reason)
        }
    }

    @Test func `3.1 a user who must sign in is told where, and the request's id`() throws {
        let text = """
            {"uuid":"u","serverErrorCode":"AUTHENTICATION_REQUIRED",
            "reason":"request needs authorization","redirectURL":"https://idmsa.apple.com/x?a=b"}
            """
        let failure = try #require(
            dialect.failure(answer(421, text, headers: [("X-Apple-Request-UUID", "id-1")])))
        #expect(!failure.mayPass)
        #expect(
            failure.end
                == .needsReauth(
                    message: "CloudKit answered 421 AUTHENTICATION_REQUIRED: request needs "
                        + "authorization (request id-1); sign in at https://idmsa.apple.com/x?a=b"))
    }

    @Test func `3.2 a refused signature says what may be wrong, a refused token does not`() throws {
        let refused = answer(401, body("AUTHENTICATION_FAILED", "Authentication failed"))
        let message = "CloudKit answered 401 AUTHENTICATION_FAILED: Authentication failed "
        let ofServer = try #require(serverDialect().failure(refused))
        #expect(
            ofServer.end
                == .needsReauth(
                    message: message + "(request body-id); key id, private key, container, "
                        + "environment and this host's clock must fit"))
        let ofUser = try #require(dialect.failure(refused))
        #expect(ofUser.end == .needsReauth(message: message + "(request body-id)"))
        #expect(!ofServer.mayPass && !ofUser.mayPass)
    }

    @Test(arguments: [401, 421]) func `6 a sign-in refused without a code parks the job as well`(
        _ status: Int
    ) throws {
        let failure = try #require(dialect.failure(answer(status, "<html>no</html>")))
        #expect(
            failure.end
                == .needsReauth(
                    message: "CloudKit answered \(status) without an error of its own"))
        #expect(failure.code == nil && failure.reason.isEmpty && !failure.mayPass)
    }

    @Test(arguments: [
        (400, "rejected"), (403, "rejected"), (404, "rejected"), (405, "rejected"),
        (413, "rejected"), (500, "unavailable"), (502, "unavailable"), (503, "unavailable"),
        (599, "unavailable"), (408, "unavailable"),
    ]) func `6 an answer that is no CloudKit error, such as HTML, is judged by its status`(
        _ status: Int, _ word: String
    ) throws {
        for body in ["<html><h1>Bad Gateway</h1></html>", "", #"{"message":"x"}"#, "[1]"] {
            let failure = try #require(
                dialect.failure(answer(status, body, headers: [("X-Apple-Request-UUID", "id")])))
            #expect(failure.mayPass == (word == "unavailable"))
            #expect(
                failure.end
                    == .failed(
                        kind: word,
                        message: "CloudKit answered \(status) without an error of its own "
                            + "(request id)"))
        }
    }

    @Test(arguments: [
        ("LIMIT_EXCEEDED", 400, "limit_exceeded", false), ("ZONE_BUSY", 503, "unavailable", true),
        ("UNKNOWN_ERROR", 500, "unavailable", true), ("UNKNOWN_ITEM", 404, "unknown_item", false),
        ("SOMETHING_NEW", 200, "something_new", false), ("Odd code!", 400, "rejected", false),
        ("INTERNAL_ERROR", 500, "unavailable", true), ("INTERNAL_ERROR", 200, "unavailable", true),
    ]) func `6 an unknown code is kept as text and judged by its status`(
        _ code: String, _ status: Int, _ word: String, _ mayPass: Bool
    ) throws {
        let failure = try #require(dialect.failure(answer(status, body(code))))
        #expect(failure.code == code)
        #expect(failure.mayPass == mayPass)
        #expect(
            failure.end
                == .failed(
                    kind: word,
                    message: "CloudKit answered \(status) \(code): why (request body-id)"))
    }

    @Test func `6 a code that is no text is kept as it is written`() throws {
        let failure = try #require(dialect.failure(answer(400, #"{"serverErrorCode":17}"#)))
        #expect(failure.code == "17")
        #expect(failure.reason.isEmpty)
        #expect(failure.end == .failed(kind: "17", message: "CloudKit answered 400 17"))
    }

    @Test func `6 what a server writes into an error can't push its id out of the message`() throws
    {
        let text = body(
            String(repeating: "C", count: 5000), String(repeating: "r", count: 5000),
            more: #","redirectURL":"\#(String(repeating: "u", count: 5000))""#)
        let failure = try #require(
            dialect.failure(
                answer(400, text, headers: [("X-Apple-Request-UUID", "the-id")])))
        guard case .failed(let word, let message) = failure.end else {
            Issue.record("\(failure.end)")
            return
        }
        #expect(word == "rejected")
        #expect(message.contains("(request the-id)"))
        #expect(message.utf8.count <= 1024)
        #expect(failure.reason.count == 5000)
    }
}
