import JobQueue
import Postgres
import Testing

/// What an application calls by names: its tenant's and its own key of the user, and no number.
@Suite("Verbs by name")
struct NamedVerbTests {
    @Test func `secrets are set, listed by name and removed, of a user and of the tenant`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let value = sealed()
            try await fixture.given(.needingSecret())
            #expect(
                try await fixture.int(
                    "select jobrunner.set_secret('acme', 'ann', 'token', \(value))") == 1)
            #expect(try await fixture.job("state", user: user) == "waiting")
            for user in ["null", "'*'"] {
                try await fixture.script(
                    "select jobrunner.set_secret('acme', \(user), 'client', \(value))")
            }
            #expect(
                try await fixture.texts(
                    "select user_id || ' ' || name from jobrunner.secrets order by user_id")
                    == ["0 client", "\(user) token"])
            let names = "select s.name from jobrunner.secret_names('acme', %) as s"
            let isFresh =
                "select (s.updated_at = (select max(updated_at) from jobrunner.secrets where name = 'token'))::text"
                + " from jobrunner.secret_names('acme', 'ann') as s"
            #expect(try await fixture.texts(names.replacing("%", with: "'ann'")) == ["token"])
            #expect(try await fixture.texts(names.replacing("%", with: "null")) == ["client"])
            #expect(try await fixture.texts(isFresh) == ["true"])
            try await fixture.given(.accessToken(of: user))
            let remove = "select jobrunner.remove_secret('acme', 'ann', 'token')::text"
            #expect(try await fixture.text(remove) == "true")
            #expect(try await fixture.text(remove) == "false")
            #expect(try await fixture.int("select count(*) from jobrunner.renewals") == 0)
            #expect(try await fixture.texts("select name from jobrunner.secrets") == ["client"])
            for verb in [
                "set_secret('acme', 'bob', 'x', \(value))", "secret_names('acme', 'bob')",
                "remove_secret('acme', 'bob', 'x')",
            ] {
                #expect(try await fixture.refusal("select jobrunner.\(verb)") == "JR011", "\(verb)")
            }
        }
    }

    @Test func `a list, the age of rows and a push are asked for by names`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.script(
                """
                select jobrunner.replace_list('acme', 'ann', 'hub_channel', 'channel_id', '{b,a}');
                insert into synced.hub_video values (\(user), 'v');
                """)
            let list =
                "select %::text from jobrunner.list_items('acme', 'ann', 'hub_channel', 'channel_id')"
            #expect(try await fixture.text(list.replacing("%", with: "items")) == "{a,b}")
            #expect(
                try await fixture.text(list.replacing("%", with: "hash"))
                    == fixture.text("select md5(E'a\\nb')"))
            #expect(
                try await fixture.refusal(
                    "select jobrunner.list_items('acme', 'ann', 'hub_video', 'video_id')")
                    == "JR016")
            #expect(
                try await fixture.refusal(
                    "select jobrunner.list_items('acme', 'bob', 'hub_channel', 'channel_id')")
                    == "JR011")
            #expect(
                try await fixture.value("jobrunner.age_of_job('acme', 'ann', 'hub.refresh')") == nil
            )
            #expect(
                try await fixture.refusal(
                    "select jobrunner.age_of_job('acme', 'ann', 'hub.status')")
                    == "JR012")
            try await fixture.given(.notDue())
            let push = "select jobrunner.push_soon('acme', 'ann', 'hub_video')::text"
            #expect(try await fixture.text(push) == "false")
            try await fixture.given(.writableTables("hub.refresh", debounce: 1000))
            #expect(try await fixture.text(push) == "true")
            #expect(try await fixture.job("due_at <= now() + interval '1 s'", user: user) == "true")
            #expect(
                try await fixture.refusal("select jobrunner.push_soon('acme', 'bob', 'hub_video')")
                    == "JR011")
        }
    }

    @Test func `a removal's receipt says what its deletes took, of that user alone`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            let other = try await fixture.addUser("bob")
            try await fixture.commit(
                claim, page(1, isEnd: true), PageCounts(fetched: 1, inserted: 1))
            try await fixture.finish(claim, .failed, kind: .unavailable)
            try await fixture.script(
                """
                select jobrunner.set_secret('acme', 'ann', 'token', \(sealed()));
                insert into synced.hub_video values (\(user), 'v'), (\(user), 'w'), (\(other), 'v');
                """)
            let receipt = try await fixture.text(
                "select (jobrunner.remove_user('acme', 'ann') - 'removed_at')::text")
            #expect(
                receipt
                    == #"{"jobs": 1, "rows": {"hub_video": 2, "hub_channel": 0}, "runs": 1, "user": "ann", "#
                    + #""events": 0, "tenant": "acme", "secrets": 1, "checkpoints": 1}"#)
            #expect(try await fixture.int("select count(*) from synced.hub_video") == 1)
        }
    }
}
