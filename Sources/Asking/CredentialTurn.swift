import JobQueue

/// How a run waits for a credential that serves one at a time: others renew it, or use it up.
struct CredentialTurn {
    /// A token server usually answers within a second; who waits longer gives its place to other jobs.
    private static let patience = Duration.seconds(10)
    /// When a run that was put off looks again.
    private static let putOff = Duration.seconds(5)

    let name: String
    let deadline: ContinuousClock.Instant

    /// Tries until there is a result; nil when it is somebody else's turn.
    ///
    /// Throws `RunEnd.deferred` when it stays so.
    func wait<Result>(_ attempt: () async throws -> Result?) async throws -> Result {
        let end = ContinuousClock.now + Self.patience
        var pause = Duration.milliseconds(50)
        while true {
            if let result = try await attempt() { return result }
            guard .now < deadline else { throw RunEnd.interrupted(.deadline) }
            guard .now + pause < end else {
                throw RunEnd.deferred(
                    .credentialInUse,
                    message: "another run uses or renews the credential '\(name)'",
                    wait: Self.putOff)
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(1))
        }
    }
}
