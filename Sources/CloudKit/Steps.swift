import Basics
public import JSON
public import JobFiles
import JobQueue
public import Asking
import Reading

// The steps a job file may name in `before` and `recover`.
extension CloudKitDialect {
    /// Makes sure of a zone or of the account.
    ///
    /// Returns the zone when it is to be remembered, or the account. Throws what a request fails
    /// with, and `RunEnd.needsReauth` when the credential is of another account than before.
    public func take(
        _ step: PresetStep, remembered: String?,
        send: (DialectRequest) async throws -> JSONDocument
    ) async throws -> String? {
        switch step {
        case .ensureZone(let zone, let isRemembered):
            if isRemembered, remembered == zone { return remembered }
            if try await !isThere(zone, send) { try await create(zone, send) }
            return isRemembered ? zone : nil
        case .checkAccount:
            let account = try await account(send)
            if let remembered, remembered != account {
                throw RunEnd.needsReauth(
                    message: "the token is of another account (\(shortened(account))) than the "
                        + "stored data (\(shortened(remembered)))")
            }
            return account
        }
    }

    private func isThere(
        _ zone: String, _ send: (DialectRequest) async throws -> JSONDocument
    ) async throws -> Bool {
        let body = JSONValue.object([JSONMember("zones", .array([zoneID(zone)]))])
        let request = DialectRequest(path: path("zones/lookup"), body: body)
        return try await succeeds(request, unless: ["ZONE_NOT_FOUND", "NOT_FOUND"], send)
    }

    /// A zone that another run or device made meanwhile is as good.
    private func create(
        _ zone: String, _ send: (DialectRequest) async throws -> JSONDocument
    ) async throws {
        let operation = JSONValue.object([
            JSONMember("operationType", .string("create")),
            JSONMember("zone", .object([JSONMember("zoneID", zoneID(zone))])),
        ])
        let body = JSONValue.object([JSONMember("operations", .array([operation]))])
        let request = DialectRequest(path: path("zones/modify"), body: body)
        _ = try await succeeds(request, unless: ["EXISTS", "CONFLICT"], send)
    }

    /// False: the answer is one of these errors, thrown by `send` or inside a 200.
    private func succeeds(
        _ request: DialectRequest, unless codes: Set<String>,
        _ send: (DialectRequest) async throws -> JSONDocument
    ) async throws -> Bool {
        do {
            let root = try await send(request).root
            guard let error = ErrorDictionary(ofZoneIn: root) else { return true }
            guard codes.contains(error.code) else {
                throw RunEnd.failed(
                    kind: ErrorKind.rejected.rawValue,
                    message: "\(request.path): \(error.code): \(error.reason.beginning(300))")
            }
            return false
        } catch RunEnd.failed(let word, _) where codes.contains(word.uppercased()) {
            return false
        }
    }

    /// The name of the user record that the token acts for.
    private func account(
        _ send: (DialectRequest) async throws -> JSONDocument
    ) async throws -> String {
        let answer: JSONDocument
        do {
            answer = try await send(userRequest("caller"))
        } catch RunEnd.failed(let word, _) where Self.unknownPath.contains(word) {
            answer = try await send(userRequest("current"))
        }
        guard let account = answer.root["userRecordName"]?.string, !account.isEmpty else {
            throw RunEnd.failed(
                kind: ErrorKind.malformed.rawValue,
                message: "the question for the account was answered without a userRecordName")
        }
        return account
    }

    /// The words of a service that does not know `users/caller`.
    private static let unknownPath: Set = ["not_found", "bad_request", "rejected"]

    /// Users are asked for at the public database, whichever the data is in.
    private func userRequest(_ name: String) -> DialectRequest {
        var users = address
        users.database = .public
        return DialectRequest(path: "\(users.path)/users/\(name)", body: nil)
    }

    /// Enough of an id to tell two apart.
    private func shortened(_ account: String) -> String {
        account.beginning(6)
    }
}
