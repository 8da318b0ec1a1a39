import JobQueue
import Postgres
import Testing

@Suite("What a person may have of what is stored")
struct ExportTests {
    private let parts =
        "select concat_ws(' ', e.part, e.name) from jobrunner.export_user('acme', 'ann') as e"

    /// A user with a row of each kind, and another one with a row of the same names.
    private func fill(_ fixture: Fixture, _ worker: Int, _ user: Int64, _ claim: Claim) async throws
    {
        let other = try await fixture.addUser("bob")
        try await fixture.commit(
            claim, page(1, cursor: "position-kept", token: "token-kept"),
            PageCounts(fetched: 1, inserted: 1))
        try await fixture.remember("register", listHash: "hash-kept", for: claim)
        try await fixture.finish(claim, .failed, kind: .unavailable, error: "it is away")
        try await fixture.script(
            """
            select jobrunner.set_user('acme', 'ann', '{"region": "eu"}');
            select jobrunner.set_secret('acme', 'ann', 'token', \(sealed("aa")));
            select jobrunner.set_secret('acme', null, 'shared', \(sealed("bb")));
            select jobrunner.set_period('acme', 'ann', 'hub.refresh', '2 hours');
            select jobrunner.replace_list('acme', 'ann', 'hub_channel', 'channel_id', '{c2,c1}');
            insert into synced.hub_video values (\(user), 'v'), (\(other), 'foreign');
            """)
        try await fixture.given(
            .armed("online", of: user, job: "hub.refresh"),
            .event("sync_began", of: user, job: "hub.refresh"),
            .raised(4, in: "v", tag: "tag-kept", by: user))
    }

    @Test func `all that is stored of a user is told in a stable order, and of nobody else`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fill(fixture, worker, user, claim)
            let told = try await fixture.texts(parts)
            #expect(
                told == [
                    "user ann", "secret token", "job hub.refresh", "entity hub.refresh",
                    "period hub.refresh", "call hub.refresh", "raised_count hub",
                    "trigger hub.refresh", "row hub_channel", "row hub_channel", "row hub_video",
                    "event sync_began", "run hub.refresh",
                ])
            #expect(try await fixture.texts(parts) == told)
            let all = try await fixture.texts(
                "select e.content from jobrunner.export_user('acme', 'ann') as e"
            ).joined(separator: "\n")
            for word in [#""region": "eu""#, #""c1"}\#n{"channel_id": "c2""#, "it is away"] {
                #expect(all.contains(word), "\(word) in \(all)")
            }
            for word in [
                "kept", "foreign", "0101010101", "sealed", "cursor", "hash", "user_id", "fence",
            ] {
                #expect(!all.contains(word), "\(word) in \(all)")
            }
            #expect(
                try await fixture.refusal("select jobrunner.export_user('acme', 'eve')") == "JR011")
        }
    }

    /// What is about a user is either told or left out for a reason that stands in the function.
    @Test func `a table that knows a user is exported, or left out with a reason`() async throws {
        try await Fixture.lend { fixture async throws in
            let forgotten = """
                select c.relname
                from pg_class as c
                join pg_attribute as a on a.attrelid = c.oid and a.attname in ('user_id', 'user_ids', 'job_user_id') and not a.attisdropped
                join pg_proc as p on p.proname = 'export_user' and p.pronamespace = c.relnamespace
                where c.relnamespace = 'jobrunner'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
                  and p.prosrc !~ ('from jobrunner\\.' || c.relname || ' as')
                  and p.prosrc !~ ('\\n-- Left out: jobrunner\\.' || c.relname || ', since ')
                order by 1
                """
            #expect(try await fixture.texts(forgotten) == [])
            try await fixture.script("create table jobrunner.diaries (user_id bigint)")
            #expect(try await fixture.texts(forgotten) == ["diaries"])
        }
    }
}
