import Asking
import JobFiles
import JSON
import JobQueue
import Reading
import Testing

@testable import CloudKit

/// Answers a step's requests from a script, and keeps what was sent.
private final class Script {
    private var answers: [Result<String, RunEnd>]
    private(set) var sent: [String] = []

    init(_ answers: [Result<String, RunEnd>]) { self.answers = answers }

    func send(_ request: DialectRequest) throws -> JSONDocument {
        sent.append("\(request.path) \(request.body?.text ?? "GET")")
        guard !answers.isEmpty else { throw RunEnd.failed(kind: "unscripted", message: "") }
        return try document(try answers.removeFirst().get())
    }
}

@Suite struct StepTests {
    private let root = "/database/1/iCloud.com.example.app/development"
    private let zone = #"{"zones":[{"zoneID":{"zoneName":"Z","ownerRecordName":"_u"}}]}"#
    private var lookup: String { #"\#(root)/private/zones/lookup {"zones":[{"zoneName":"Z"}]}"# }
    private var create: String {
        #"\#(root)/private/zones/modify {"operations":[{"operationType":"create","#
            + #""zone":{"zoneID":{"zoneName":"Z"}}}]}"#
    }

    private func inside(_ code: String) -> Result<String, RunEnd> {
        .success(#"{"zones":[{"zoneID":{"zoneName":"Z"},"serverErrorCode":"\#(code)"}]}"#)
    }

    private func thrown(_ word: String) -> Result<String, RunEnd> {
        .failure(.failed(kind: word, message: "m"))
    }

    private func take(
        _ step: PresetStep, remembered: String? = nil, _ script: Script
    ) async throws -> String? {
        try await userDialect().take(step, remembered: remembered) { try script.send($0) }
    }

    @Test func `MS5 5.6 a zone that is there is not made`() async throws {
        let script = Script([.success(zone)])
        #expect(try await take(.ensureZone("Z", isRemembered: true), script) == "Z")
        #expect(script.sent == [lookup])
    }

    @Test func `MS5 5.6 a missing zone is made, told inside a 200 or by the request's failure`()
        async throws
    {
        for missing in [inside("ZONE_NOT_FOUND"), inside("NOT_FOUND"), thrown("zone_not_found")] {
            let script = Script([missing, .success(zone)])
            #expect(try await take(.ensureZone("Z", isRemembered: true), script) == "Z")
            #expect(script.sent == [lookup, create])
        }
    }

    @Test func `MS5 5.6 making a zone that another made meanwhile is success`() async throws {
        for there in [inside("EXISTS"), inside("CONFLICT"), thrown("exists"), thrown("conflict")] {
            let script = Script([inside("ZONE_NOT_FOUND"), there])
            #expect(try await take(.ensureZone("Z", isRemembered: true), script) == "Z")
        }
    }

    @Test func `MS5 a zone that is remembered is not asked for again, another one is`() async throws
    {
        let silent = Script([])
        #expect(
            try await take(.ensureZone("Z", isRemembered: true), remembered: "Z", silent) == "Z")
        #expect(silent.sent.isEmpty)
        let renamed = Script([.success(zone)])
        #expect(
            try await take(.ensureZone("Z", isRemembered: true), remembered: "Old", renamed) == "Z")
        #expect(renamed.sent == [lookup])
    }

    @Test func `MS5 a zone that is not to be remembered is asked for each time`() async throws {
        let script = Script([.success(zone)])
        #expect(
            try await take(.ensureZone("Z", isRemembered: false), remembered: "Z", script) == nil)
        #expect(script.sent == [lookup])
    }

    @Test func `5.6 any other failure of look-up or creation ends the step`() async throws {
        for answers in [
            [thrown("access_denied")], [inside("ACCESS_DENIED")],
            [inside("ZONE_NOT_FOUND"), inside("QUOTA_EXCEEDED")],
            [inside("ZONE_NOT_FOUND"), thrown("bad_request")],
            [.failure(.needsReauth(message: "m"))],
        ] {
            let script = Script(answers)
            await #expect(throws: RunEnd.self) {
                try await take(.ensureZone("Z", isRemembered: true), script)
            }
            #expect(script.sent.count == answers.count)
        }
    }

    @Test func `LU23 2 the account is asked for at the public database and returned`() async throws
    {
        let script = Script([.success(#"{"userRecordName":"_account_1"}"#)])
        #expect(try await take(.checkAccount, script) == "_account_1")
        #expect(script.sent == ["\(root)/public/users/caller GET"])
        let again = Script([.success(#"{"userRecordName":"_account_1"}"#)])
        #expect(try await take(.checkAccount, remembered: "_account_1", again) == "_account_1")
    }

    @Test func `2 a service that does not know users-caller is asked for users-current`()
        async throws
    {
        for word in ["not_found", "bad_request", "rejected"] {
            let script = Script([thrown(word), .success(#"{"userRecordName":"_a"}"#)])
            #expect(try await take(.checkAccount, script) == "_a")
            #expect(
                script.sent
                    == ["\(root)/public/users/caller GET", "\(root)/public/users/current GET"])
        }
        let script = Script([thrown("unavailable")])
        await #expect(throws: RunEnd.failed(kind: "unavailable", message: "m")) {
            try await take(.checkAccount, script)
        }
    }

    @Test
    func `LU23 a token of another account needs a new sign-in, and neither id is shown whole`()
        async throws
    {
        let script = Script([.success(#"{"userRecordName":"_bbbb222222"}"#)])
        let message = "the token is of another account (_bbbb2…) than the stored data (_aaaa1…)"
        await #expect(throws: RunEnd.needsReauth(message: message)) {
            try await take(.checkAccount, remembered: "_aaaa111111", script)
        }
    }

    @Test(arguments: ["{}", #"{"userRecordName":null}"#, #"{"userRecordName":""}"#, "[]"])
    func `LU23 an answer that names no account is malformed`(_ text: String) async {
        let script = Script([.success(text)])
        let message = "the question for the account was answered without a userRecordName"
        await #expect(throws: RunEnd.failed(kind: "malformed", message: message)) {
            try await take(.checkAccount, script)
        }
    }
}
