import JobQueue
import Postgres
import Testing

/// A call of a verb, and what it leaves in the audit: verb, tenant, user and object.
private struct Act: CustomTestStringConvertible {
    let call: String
    let line: String
    /// What has to have happened before.
    var before = ""

    var testDescription: String { call }

    init(_ call: String, _ line: String, before: String = "") {
        self.call = call
        self.line = line
        self.before = before
    }
}

private let acts = [
    Act("add_tenant('zeta', in_max_running => 3)", "add_tenant zeta - zeta"),
    Act("set_tenant('acme', in_weight => 7)", "set_tenant acme - acme"),
    Act("add_user('acme', 'key-kept', '{\"region\": \"value-kept\"}')", "add_user acme key-kept -"),
    Act("add_users('acme', '{key-kept,key-kept-2}')", "add_users acme - -"),
    Act("set_user('acme', 'ann', '{\"region\": \"value-kept\"}')", "set_user acme ann -"),
    Act("set_secret('acme', 'ann', 'token', \(sealed("ee")))", "set_secret acme ann token"),
    Act("set_secret('acme', null, 'client', \(sealed("ee")))", "set_secret acme - client"),
    Act(
        "remove_secret('acme', 'ann', 'token')", "remove_secret acme ann token",
        before: "select jobrunner.set_secret('acme', 'ann', 'token', \(sealed("ee")))"),
    Act(
        "add_secrets(1, array[(select id from jobrunner.users)], '{token}', array[\(sealed("ee"))])",
        "add_secrets acme - -"),
    Act(
        "bring_secret(1, (select id from jobrunner.users), 'hub.refresh', 'token', \(sealed("ee")), now())",
        "bring_secret acme ann token"),
    Act(
        "replace_tenant_key(1, decode(repeat('02', 8), 'hex'), decode(repeat('02', 32), 'hex'), null, decode(repeat('02', 8), 'hex'), (select id from jobrunner.tenant_keys))",
        "replace_tenant_key acme - 0202020202020202"),
    Act("pause_jobs('acme')", "pause_jobs acme - -"),
    Act("pause_jobs('acme', 'ann', 'hub.refresh')", "pause_jobs acme ann hub.refresh"),
    Act("resume_jobs('acme')", "resume_jobs acme - -"),
    Act("resume_jobs('acme', 'ann')", "resume_jobs acme ann -"),
    Act("pause_job_file('hub.refresh')", "pause_job_file - - hub.refresh"),
    Act("resume_job_file('hub.refresh')", "resume_job_file - - hub.refresh"),
    Act("cancel_jobs('acme', 'ann')", "cancel_jobs acme ann -"),
    Act("retry_jobs('acme')", "retry_jobs acme - -"),
    Act("reset_jobs('acme', 'ann', 'hub.refresh', 'video')", "reset_jobs acme ann hub.refresh"),
    Act("repair_jobs('acme', 'ann')", "repair_jobs acme ann -"),
    Act("set_period('acme', 'ann', 'hub.refresh', '1 day')", "set_period acme ann hub.refresh"),
    Act("set_period('acme', null, 'hub.refresh', '1 day')", "set_period acme - hub.refresh"),
    Act("set_source('acme', 'hub', 'https://hub.example/value-kept')", "set_source acme - hub"),
    Act("close_breaker('acme', 'hub')", "close_breaker acme - hub"),
    Act("renew_tenant_key('acme')", "renew_tenant_key acme - -"),
    Act("give_job('acme', 'hub.status')", "give_job acme - hub.status"),
    Act("take_job('acme', 'hub.refresh', true)", "take_job acme - hub.refresh"),
    Act(
        "add_application('acme', 'jobrunner_application')",
        "add_application acme - jobrunner_application"),
    Act(
        "remove_application('jobrunner_application')",
        "remove_application acme - jobrunner_application",
        before: "select jobrunner.add_application('acme', 'jobrunner_application')"),
    Act("export_user('acme', 'ann')", "export_user acme ann -"),
    Act("remove_user('acme', 'ann')", "remove_user acme - -"),
    Act("remove_tenant('acme')", "remove_tenant - - acme"),
    Act(
        "store_job_file((select to_jsonb(f) || '{\"every\": \"2 hours\"}' from jobrunner.job_files as f where name = 'hub.status'))",
        "store_job_file - - hub.status"),
    Act(
        "revoke_public()", "revoke_public - - public",
        before: "grant execute on function jobrunner.enqueue to public"),
    Act(
        "grant_roles()", "grant_roles - - -",
        before: "revoke select on jobrunner.gauges from jobrunner_reader"),
]

private let trail = """
    select concat_ws(' ', a.verb, coalesce(a.tenant, '-'), coalesce(a.user_key, '-'), coalesce(a.object, '-'))
    from jobrunner.audit_trail as a where a.id > % order by a.id
    """

@Suite("The audit")
struct AuditTests {
    @Test(arguments: acts)
    fileprivate func
        `an act leaves one line with who did what to whom, and none when it is rolled back`(
            act: Act
        ) async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            if !act.before.isEmpty { try await fixture.script(act.before) }
            let last = try await fixture.int("select coalesce(max(id), 0) from jobrunner.audit")
            let lines = trail.replacing("%", with: "\(last)")
            try await fixture.script("begin; select jobrunner.\(act.call); rollback")
            #expect(try await fixture.texts(lines) == [])
            try await fixture.script("select jobrunner.\(act.call)")
            #expect(try await fixture.texts(lines) == [act.line])
            #expect(
                try await fixture.texts(
                    "select distinct login || ' ' || coalesce(role, '-') from jobrunner.audit where id > \(last)"
                )
                    == ["jobrunner -"])
            // Neither a value, nor a key, nor what is sealed: only names and numbers.
            let all = try await fixture.texts(
                "select a::text from jobrunner.audit as a where a.id > \(last)"
            ).joined(separator: "\n")
            for word in ["kept", "010101", "eeee", "\\x01"] {
                #expect(!all.contains(word), "\(word) in \(all)")
            }
            #expect(!all.contains(/\bann\b/), "\(all)")
        }
    }

    @Test func `what asks a run, edits or reads is an application's day and leaves no line`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let count = "select count(*) from jobrunner.audit"
            let before = try await fixture.int(count)
            try await fixture.script(
                """
                select jobrunner.enqueue('acme', 'ann', 'hub.refresh');
                select jobrunner.want_fresh('acme', 'ann', 'hub.refresh');
                select jobrunner.edit_list('acme', 'ann', 'hub_channel', 'channel_id', '{c}', '{}');
                select jobrunner.status_of('acme', 'ann');
                select jobrunner.rotate_secret(1, \(user), 'token', revision, 7, \(sealed())) from jobrunner.secrets limit 1;
                """)
            let claim = try await fixture.run(worker, user: user)
            try await fixture.commit(claim)
            try await fixture.finish(claim)
            #expect(try await fixture.int(count) == before)
        }
    }

    @Test func `the role that a login has taken on stands beside it`() async throws {
        try await Fixture.lend { fixture async throws in
            try await Login.with("create role %; grant % to jobrunner") { role in
                try await fixture.script(
                    """
                    grant usage on schema jobrunner to \(role);
                    grant execute on all functions in schema jobrunner to \(role);
                    grant all on all tables in schema jobrunner to \(role);
                    grant all on all sequences in schema jobrunner to \(role);
                    begin; set local role \(role); select jobrunner.set_tenant('acme', 3); commit;
                    """)
                #expect(
                    try await fixture.texts(
                        "select login || ' ' || role from jobrunner.audit where verb = 'set_tenant'"
                    )
                        == ["jobrunner \(role)"])
                try await fixture.script("drop owned by \(role)")
            }
        }
    }

    @Test(arguments: [
        "update %", "delete from %", "truncate %", "delete from % where false",
        "create function pg_temp.forget_acts() returns void language sql as 'delete from %'; select pg_temp.forget_acts()",
    ])
    func `nobody changes a line, not even the owner`(statement: String) async throws {
        try await Fixture.lend { fixture async throws in
            let before = try await fixture.int("select count(*) from jobrunner.audit")
            #expect(before > 0)
            do {
                let change = statement.replacing("update %", with: "update % set login = 'nobody'")
                try await fixture.script(change.replacing("%", with: "jobrunner.audit"))
                Issue.record("it was done")
            } catch let error as DatabaseError {
                #expect(error.sqlstate == "42501")
                #expect(error.message == "rows of jobrunner.audit are only ever added")
            }
            #expect(try await fixture.int("select count(*) from jobrunner.audit") == before)
        }
    }

    @Test func `the chore that removes old runs removes what was done 400 days ago`() async throws {
        try await Fixture.lend { fixture async throws in
            try await fixture.given(.audited(ago: "399 days"))
            try await fixture.script("select jobrunner.maintain_runs()")
            #expect(try await fixture.int("select count(*) from jobrunner.audit") > 0)
            try await fixture.given(.audited(ago: "1 day"))
            try await fixture.script("select jobrunner.set_tenant('acme', 2)")
            try await fixture.script("select jobrunner.maintain_runs()")
            #expect(try await fixture.texts("select verb from jobrunner.audit") == ["set_tenant"])
            #expect(try await fixture.refusal("select jobrunner.forget_acts('29 days')") == "JR017")
        }
    }

    /// A verb that changes something is noted, or stands here with the reason why not.
    @Test func `every verb notes what it did, or says here why it does not`() async throws {
        try await Fixture.lend { fixture async throws in
            let unnoted = #"""
                select p.proname
                from pg_proc as p
                where p.pronamespace = 'jobrunner'::regnamespace and p.provolatile = 'v' and p.prokind = 'f'
                  and coalesce(obj_description(p.oid), '') !~ 'Not for callers' and p.prosrc !~ 'Not for callers'
                  and position(format('jobrunner.note_act(%L', p.proname) in p.prosrc) = 0
                order by 1
                """#
            #expect(try await fixture.texts(unnoted) == unaudited.keys.sorted())
            try await fixture.script(
                """
                create function jobrunner.new_verb() returns void language sql as 'select';
                comment on function jobrunner.new_verb is 'Changes something.';
                """)
            #expect(try await fixture.texts(unnoted).contains("new_verb"))
        }
    }
}

/// Volatile verbs that leave no line, each with the reason.
private let unaudited: [String: String] = {
    let reasons = [
        "an application's day, many times a minute": [
            "changes_since", "delete_record", "edit_list", "edit_record", "enqueue", "enqueue_all",
            "events_since",
            "push_soon",
            "replace_list", "save_record", "trigger_event", "want_fresh",
        ],
        "a worker's day: history and checkpoints tell of it": [
            "claim_new", "claim_of_tenants", "claim_suspect", "commit_page", "deregister_worker",
            "end_renewal", "finish_idle_runs", "finish_runs", "heartbeat_worker", "hold_job",
            "hold_secrets",
            "lease_credential", "look_at_tenants", "look_due", "make_attribute", "preload_runs",
            "reattach_worker", "record_call", "register_worker", "release_jobs", "release_orphans",
            "report_sources", "store_push_counters", "store_record_failures", "store_slot_use",
            "take_budget", "wake_workers",
        ],
        "a chore that follows from rows and time, not from a person": [
            "activate_limits", "begin_health_checks", "count_freshness", "count_waiting",
            "forget_ended_claims", "lift_quarantines", "maintain_runs", "make_lacking_jobs",
            "reap_jobs", "reconcile_jobs", "slow_jobs",
        ],
        "it only finds and locks": ["job_named", "jobs_named"],
        "note_look, which it calls first, notes it": ["look_at_rows"],
        "a trigger that keeps what set_tenant has noted": ["keep_limited_tenants"],
        "a source's own replacement of a credential, in a run's page": ["rotate_secret"],
        "a part of a rotation, whose beginning replace_tenant_key notes": [
            "drop_retired_keys", "seal_anew",
        ],
        "each page of a run calls it; doctor --merge does no more than the next run would": [
            "merge_duplicates"
        ],
    ]
    let pairs = reasons.flatMap { reason, verbs in verbs.map { ($0, reason) } }
    return Dictionary(uniqueKeysWithValues: pairs)
}()
