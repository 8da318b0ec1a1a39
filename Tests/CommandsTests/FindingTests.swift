import JSON
import JobQueue
import Postgres
import Testing

@testable import Commands

private func row(_ text: String) throws -> JSONValue {
    try #require(try JSONDocument(parsing: Array(text.utf8)).root.value)
}

@Suite struct FindingTests {
    @Test func `an old server, holders of dead rows and idle transactions are named`() throws {
        let findings = serverFindings([
            .server: [try row(#"{"version":"14.2","major":14}"#)],
            .xminHolders: [
                try row(#"{"what":"replication slot old","seconds":null}"#),
                try row(#"{"what":"session 7 (psql)","seconds":300}"#),
            ],
            .idleInTransaction: [try row(#"{"pid":7,"name":"psql","role":"me","seconds":30}"#)],
        ])
        #expect(
            findings.map(\.line) == [
                "error: server: PostgreSQL 14.2; expected 15 or later",
                "warning: vacuum: replication slot old holds back the removal of dead rows; end it"
                    + " if nobody needs it",
                "warning: vacuum: session 7 (psql) holds back the removal of dead rows for 5 min;"
                    + " end it if nobody needs it",
                "warning: sessions: session 7 (psql) is idle in a transaction for 30 s;"
                    + " select pg_terminate_backend(7)",
            ])
    }

    @Test func `runs without a day's partition, and jobs without a credential, are counted`() throws
    {
        let findings = jobFindings([
            .workers: [try row(#"{"worker_id":1,"health":"alive","silent_seconds":1}"#)],
            .troubles: [
                try row(
                    #"{"trouble":"needs_reauth","tenant":"acme","job":"j","count":21,"user":"ann","detail":"401","about":"secrets","words":"parked: the source refuses the credential"}"#
                ),
                try row(
                    #"{"trouble":"sweep_refused","tenant":"acme","job":"j","count":1,"user":"ann","entity":"e","about":"sweep","words":"deleted nothing, since two full passes lacked too many rows"}"#
                ),
            ],
            .unreadValues: [
                try row(#"{"job":"j","entity":"e","count":2,"field":"price"}"#)
            ],
            .partitions: [try row(#"{"other_count":1000,"has_tomorrow":true}"#)],
        ])
        #expect(
            findings.map(\.what) == [
                "1 alive",
                "2 users of job j have values in entity e that can't be read as the file says, such as of price",
                "21 jobs parked: the source refuses the credential; the first 1 are listed, all are"
                    + " in view jobrunner.jobs_in_trouble",
                "j of user ann of tenant acme: 401",
                "1 job deleted nothing, since two full passes lacked too many rows",
                "j of user ann of tenant acme, entity e",
                "runs_other holds 1000 or more runs of days without a partition",
            ])
    }

    private func cause(
        _ tenant: String, users: Int = 3, isWhole: Bool = false, isUrgent: Bool = false
    ) throws -> JSONValue {
        try row(
            #"{"source":"hub","tenant":"\#(tenant)","error_kind":"unavailable","words":"is away","is_urgent":\#(isUrgent),"users":\#(users),"may_be_more":false,"is_whole":\#(isWhole),"lasting_seconds":38,"job":"hub.list","user":"ann","error":"503","hint":"wait"}"#
        )
    }

    @Test func `a cause is one line: where, what, how many, since when, an example and what helps`()
        throws
    {
        #expect(
            causeFindings([
                .causes: [
                    try cause("acme", users: 2000, isWhole: true),
                    try cause("b", users: 1, isUrgent: true),
                ]
            ]).map(\.line) == [
                "warning: cause: hub of tenant acme is away: 2000 users, nobody is well, the first since 38 s;"
                    + " such as ann with hub.list: 503; wait",
                "error: cause: hub of tenant b is away: 1 user, the first since 38 s; such as ann with hub.list: 503; wait",
            ])
    }

    @Test func `of many causes the worst are told, and none that a whole tenant has is left out`()
        throws
    {
        let rows =
            try (0..<30).map { try cause("t\($0)") }
            + (0..<40).map { try cause("whole\($0)", users: 1, isWhole: true) }
        let findings = causeFindings([.causes: rows])
        #expect(findings.count == 61)
        #expect(findings.count { $0.what.contains("nobody is well") } == 40)
        #expect(findings.last?.what == "10 causes more")
        // Nobody is woken by one cause alone.
        #expect(
            Set(causesOfHealth([.causes: [try cause("b", isUrgent: true)]]).map(\.severity))
                == [.warning])
        // What nobody counts any more is no finding of now.
        let old: HealthAnswers = [
            .causes: [try cause("b", isUrgent: true)],
            .counting: [try row(#"{"counted_seconds":600}"#)],
        ]
        for findings in [causesOfHealth(old), causeFindings(old)] {
            #expect(findings.map(\.severity) == [.info])
            #expect(findings.first?.what.hasPrefix("10 min ago: hub of tenant b is away") == true)
        }
    }

    @Test func `secrets are compared with the key in use`() throws {
        let rows = [
            try row(#"{"key_id":"aa","tenants":1,"secrets":2,"named":["s"]}"#),
            try row(#"{"key_id":"bb","tenants":2,"secrets":3,"named":["t"]}"#),
            try row(#"{"key_id":"cc","tenants":1,"secrets":0,"named":["u"]}"#),
        ]
        #expect(secretFindings([], keyIDs: []) == [])
        #expect(secretFindings(rows, keyIDs: []).map(\.severity) == [.warning])
        #expect(
            secretFindings(rows, keyIDs: ["dd", "aa"]).map(\.what) == [
                "3 secrets of 2 tenants need key bb, but the key file holds dd, aa: t, …"
            ])
        #expect(secretFindings(rows, keyIDs: ["bb", "aa"]) == [])
    }

    @Test func `a key that was asked for and that nobody makes is told of`() throws {
        #expect(lateKeyFindings([]) == [])
        #expect(
            lateKeyFindings([try row(#"{"tenant":"acme","waiting_seconds":600}"#)]).map(\.what)
                == ["tenant acme has waited 10 min for the other key that was asked for"])
    }
}

/// What `jobrunner health` says in its one line.
@Suite struct VerdictTests {
    private func reason(
        _ word: String, _ jobs: Int, tenant: String? = nil, seconds: Int = 60,
        mayBeMore: Bool = false
    ) throws -> JSONValue {
        let name = tenant.map { "\"\($0)\"" } ?? "null"
        return try row(
            #"{"reason":"\#(word)","tenant":\#(name),"jobs":\#(jobs),"may_be_more":\#(mayBeMore),"waiting_seconds":\#(seconds)}"#
        )
    }

    private func verdict(_ rows: [JSONValue], counted: Int = 30) throws -> HealthVerdict {
        HealthVerdict(
            healthOfJobs([
                .workers: [try row(#"{"worker_id":1,"health":"alive","silent_seconds":1}"#)],
                .waiting: rows, .counting: [try row(#"{"counted_seconds":\#(counted)}"#)],
            ]))
    }

    @Test func `jobs that wait for a slot for a moment are nothing to look at`() throws {
        let fine = try verdict([
            try reason("slots", 3), try reason("deferred", 2, seconds: 9000),
            try reason("slots", 3, tenant: "acme"),
        ])
        #expect(
            fine.line
                == "healthy: workers: 1 alive; waiting: 3 jobs wait for a slot (acme 3), the first since 60 s; "
                + "waiting: 2 jobs wait as its source asked for, the first since 3 h")
        #expect(fine.exitCode == .ok)
        let late = try verdict([try reason("slots", 1, seconds: 700)])
        #expect(
            late.line.hasPrefix("degraded: waiting: 1 job waits for a slot, the first since 12 min")
        )
        #expect(late.exitCode == .failure)
    }

    @Test func `the three worst reasons are named, those that need somebody first`() throws {
        let urgent = try verdict([
            try reason("backoff", 900), try reason("credential", 40),
            try reason("job_file_missing", 5), try reason("breaker", 3, mayBeMore: true),
        ])
        #expect(
            urgent.reasons.map { $0.split(separator: ",")[0] } == [
                "waiting: 5 jobs wait for a worker that has its job file",
                "waiting: 900 jobs wait after a failure",
                "waiting: 40 jobs wait for a credential",
            ])
        #expect(urgent.exitCode == .urgent)
    }

    @Test func `a count that nobody renews, and no worker at all, are told`() throws {
        let old = try verdict([], counted: 400)
        #expect(
            old.line == "degraded: waiting: what waits was last counted 7 min ago; workers: 1 alive"
        )
        // What waited then, and may be long gone, asks for nobody by itself.
        let long = try verdict([try reason("slots", 1, seconds: 700)], counted: 400)
        #expect(
            long.reasons.last
                == "waiting: 7 min ago: 1 job waits for a slot, the first since 12 min")
        // Counted while the last worker lived, a moment ago.
        let dead: HealthAnswers = [
            .workers: [], .waiting: [try reason("slots", 1, seconds: 1)],
            .counting: [try row(#"{"counted_seconds":20,"is_of_the_dead":true}"#)],
        ]
        #expect(
            HealthVerdict(healthOfJobs(dead)).line
                == "urgent: workers: none is alive; waiting: what waits was last counted 20 s ago; "
                + "waiting: 20 s ago: 1 job waits for a slot, the first since 1.0 s")
        #expect(
            oldCountNote(dead, ["jobs", "waiting"])
                == "counted 20 s ago, and not as it is now: waiting\n\n")
        #expect(oldCountNote(dead, ["jobs"]).isEmpty)
        let none = HealthVerdict(healthOfJobs([.workers: [], .waiting: [], .counting: []]))
        #expect(none.line == "urgent: workers: none is alive")
        #expect(none.exitCode == .urgent)
    }

    @Test
    func
        `a database that is asked over a way which others share is told, with what would be right`()
    {
        let findings = wayFindings([
            .init(host: "db", sslmode: "prefer"), .init(host: "10.0.0.5", sslmode: "require"),
        ])
        #expect(
            findings.map(\.line) == [
                "warning: connection: db is asked with sslmode=prefer: whoever is on the way can read what is said, or"
                    + " answer in its place; expected sslmode=verify-full in its connection string, with the"
                    + " authority's certificate in sslrootcert",
                "warning: connection: 10.0.0.5 is asked with sslmode=require: whoever is on the way can answer in its"
                    + " place; expected sslmode=verify-full in its connection string, with the authority's certificate in"
                    + " sslrootcert",
            ])
    }
}
