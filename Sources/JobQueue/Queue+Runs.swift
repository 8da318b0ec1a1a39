import JSON
import Postgres

extension Queue {
    /// Ends runs with their outcomes; returns those that were lost, that are busy and to be tried
    /// again, or whose job was set aside.
    ///
    /// `failedWait`: which part of the longest wait after so many failures a failed job waits, such as 1 for all of
    /// it; nil means by chance, so that those who failed together don't come back together.
    public func finishRuns(
        _ runs: [FinishedRun], failedWait: Double? = nil
    ) async throws -> [Verdict] {
        guard !runs.isEmpty else { return [] }
        let statement = Statement(
            """
            select *
            from jobrunner.finish_runs(array(
              select row(
                e.user_id, e.name, e.fence, e.nonce, e.outcome, e.error_kind, e.error, e.failures, e.wait_ms, e.requests,
                e.ended_passes, e.calls, e.has_committed, e.is_unchanged, string_to_array(e.secret_versions, ','), null, null,
                case when e.outcome = 'failed' then coalesce($16, random()) else random() end, e.host
              )::jobrunner.run_end
              from unnest(
                $1::bigint[], $2::text[], $3::bigint[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[],
                $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::boolean[], $14::boolean[], $15::text[],
                $17::text[]
              ) as e (
                user_id, name, fence, nonce, outcome, error_kind, error, failures, wait_ms, requests, ended_passes, calls,
                has_committed, is_unchanged, secret_versions, host
              )
            ))
            """,
            .int8Array(runs.map(\.claim.userID)), .textArray(runs.map(\.claim.name)),
            .int8Array(runs.map(\.claim.fence)), .uuidArray(runs.map(\.claim.nonce)),
            .textArray(runs.map(\.outcome.rawValue)), .textArray(runs.map(\.errorKind)),
            .textArray(runs.map(\.error)), .textArray(runs.map { failuresText($0.failures) }),
            .optionalInt8Array(runs.map { $0.wait.map(\.wholeMilliseconds) }),
            .int8Array(runs.map { Int64($0.requests) }),
            .textArray(runs.map { endedPassesText($0.endedPasses) }),
            .textArray(runs.map { callsText($0.calls) }),
            .boolArray(runs.map(\.hasCommitted)), .boolArray(runs.map(\.isUnchanged)),
            .textArray(runs.map(secretsText)), .optional(failedWait, Bind.double),
            .textArray(runs.map(\.host)))
        return try await call(statement) { rows in
            try rows.compactMap { row in
                guard let kind = Verdict.Kind(rawValue: try row.text("verdict")) else { return nil }
                return Verdict(
                    userID: Int64(try row.int("user_id")), name: try row.text("name"),
                    fence: Int64(try row.int("fence")), kind: kind)
            }
        }
    }

    /// Ends runs that have nothing to note (`FinishedRun.isIdle`); returns the fences of those that it ended.
    ///
    /// Any other is to be ended by `finishRuns`: its job's row is not where the claim left it, is locked, or history
    /// tells its end.
    public func finishIdleRuns(_ runs: [FinishedRun]) async throws -> Set<Int64> {
        // In key order, as all who lock jobs.
        let runs = runs.sorted {
            ($0.claim.userID, $0.claim.name) < ($1.claim.userID, $1.claim.name)
        }
        let statement = Statement(
            "select jobrunner.finish_idle_runs($1, $2, $3, $4, $5)",
            .tidArray(runs.compactMap(\.place)), .int8Array(runs.map(\.claim.fence)),
            .uuidArray(runs.map(\.claim.nonce)), .boolArray(runs.map(\.isUnchanged)),
            .textArray(runs.map(\.host)))
        return try await call(statement) { rows in
            Set(try rows.only().intArray(0).map(Int64.init))
        }
    }

    /// Gives back claims whose runs have not begun; returns how many were still held.
    public func releaseJobs(_ claims: [Claim]) async throws -> Int {
        guard !claims.isEmpty else { return 0 }
        let statement = Statement(
            "select jobrunner.release_jobs($1, $2, $3, $4)",
            .int8Array(claims.map(\.userID)), .textArray(claims.map(\.name)),
            .int8Array(claims.map(\.fence)), .uuidArray(claims.map(\.nonce)))
        return try await call(statement) { try $0.only().int(0) }
    }

    /// Gives back claims that their worker does not know of; a run that had committed something ends as partial.
    ///
    /// Returns how many were still held.
    public func releaseOrphans(_ claims: [Claim]) async throws -> Int {
        let statement = Statement(
            "select jobrunner.release_orphans($1, $2, $3, $4)",
            .int8Array(claims.map(\.userID)), .textArray(claims.map(\.name)),
            .int8Array(claims.map(\.fence)), .uuidArray(claims.map(\.nonce)))
        return try await call(statement) { try $0.only().int(0) }
    }
}

/// Null for a run without such passes, so that the usual run costs nothing.
private func endedPassesText(_ passes: [EndedPass]) -> String? {
    guard !passes.isEmpty else { return nil }
    let values = passes.map { pass in
        JSONValue.object([
            JSONMember("entity", .string(pass.entity)), JSONMember("position", pass.position.json),
        ])
    }
    return JSONValue.array(values).text
}

/// As `endedPassesText`, for entities that failed.
private func failuresText(_ failures: [EntityFailure]) -> String? {
    guard !failures.isEmpty else { return nil }
    let values = failures.map { failure in
        JSONValue.object([
            JSONMember("entity", .string(failure.entity)),
            JSONMember("kind", .string(failure.kind)),
            JSONMember("error", failure.error.map(JSONValue.string) ?? .null),
        ])
    }
    return JSONValue.array(values).text
}

/// Only a refused run's are asked for.
private func secretsText(_ run: FinishedRun) -> String? {
    let isRefused =
        run.outcome == .needsReauth || run.errorKind == ErrorKind.clientRefused.rawValue
    guard isRefused, !run.secretVersions.isEmpty else { return nil }
    return run.secretVersions.map(String.init).joined(separator: ",")
}

/// As `endedPassesText`, for calls to remember.
private func callsText(_ calls: [PendingCall]) -> String? {
    guard !calls.isEmpty else { return nil }
    let values = calls.map { call in
        JSONValue.object([
            JSONMember("call", .string(call.call)),
            JSONMember("list_hash", call.listHash.map(JSONValue.string) ?? .null),
        ])
    }
    return JSONValue.array(values).text
}

extension Duration {
    /// Rounded down.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
