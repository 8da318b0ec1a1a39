import Claiming
import JobQueue
import Postgres
import Testing

/// Numbers that users raise by one each, while answers are lost and others write at the same time.
@Suite("Raised counts") struct RaisedCountTests {
    /// What a user is told of a record that holds a number in a version.
    private func ask(
        _ fixture: Fixture, _ user: Int64, seen: Int, _ tag: String, isRefused: Bool = false
    ) async throws -> String {
        try await fixture.text(
            """
            select coalesce(number::text || case when is_first then '' else ' again' end, case when is_there then 'there' else 'later' end)
            from jobrunner.raise_counts($1, 's', 'Recipe.saveCount', '{r}', $2, $3, $4)
            """, .int8(user), .int8Array([Int64(seen)]), .textArray([tag]),
            .textArray(isRefused ? ["r"] : []))
    }

    private func arrive(_ fixture: Fixture, _ user: Int64) async throws {
        try await fixture.script(
            "select jobrunner.mark_counts_raised(\(user), 's', 'Recipe.saveCount', '{r}')")
    }

    /// An hour later whoever was on its way has ended.
    private func wait(_ fixture: Fixture) async throws {
        try await fixture.given(.raisedEarlier("61 minutes"))
    }

    private func withUsers(
        _ body: (Fixture, Int64, Int64) async throws -> Void
    ) async throws {
        try await Fixture.lend { fixture in
            let ann = try await fixture.addUser("ann")
            let bob = try await fixture.addUser("bob")
            try await body(fixture, ann, bob)
        }
    }

    @Test func `a number whose answer was lost is sent again over the version that is still there`()
        async throws
    {
        try await withUsers { (fixture, ann, _) async throws in
            #expect(try await ask(fixture, ann, seen: 7, "a") == "8")
            #expect(try await ask(fixture, ann, seen: 7, "a") == "8 again")
            // Another version: it has arrived.
            #expect(try await ask(fixture, ann, seen: 8, "b") == "there")
            #expect(try await ask(fixture, ann, seen: 9, "c") == "there")
        }
    }

    @Test func `a version was written over by one: who is known to have arrived, else who asks`()
        async throws
    {
        try await withUsers { (fixture, ann, bob) async throws in
            #expect(try await ask(fixture, ann, seen: 7, "a") == "8")
            #expect(try await ask(fixture, bob, seen: 7, "a") == "8")
            try await arrive(fixture, ann)
            #expect(try await ask(fixture, bob, seen: 8, "b") == "9")
            #expect(try await ask(fixture, bob, seen: 9, "c") == "there")
        }
    }

    @Test func `of two whose answers were lost one has arrived, whoever asks first`() async throws {
        for isBobFirst in [true, false] {
            try await withUsers { (fixture, ann, bob) async throws in
                let (first, second) = isBobFirst ? (bob, ann) : (ann, bob)
                #expect(try await ask(fixture, ann, seen: 7, "a") == "8")
                #expect(try await ask(fixture, bob, seen: 7, "a") == "8")
                // The other's may be on its way.
                #expect(try await ask(fixture, first, seen: 8, "b") == "later")
                #expect(try await ask(fixture, second, seen: 8, "b") == "later")
                try await wait(fixture)
                #expect(try await ask(fixture, first, seen: 8, "b") == "there")
                #expect(try await ask(fixture, second, seen: 8, "b") == "9")
            }
        }
    }

    @Test func `a number that was refused by name is not there, and a smaller one neither`()
        async throws
    {
        try await withUsers { (fixture, ann, bob) async throws in
            #expect(try await ask(fixture, ann, seen: 0, "a") == "1")
            #expect(try await ask(fixture, ann, seen: 5, "b", isRefused: true) == "6")
            #expect(try await ask(fixture, bob, seen: 5, "b") == "6")
            #expect(try await ask(fixture, bob, seen: 2, "c") == "3")
        }
    }

    @Test func `what has arrived is never raised again, and goes with its user`() async throws {
        try await withUsers { (fixture, ann, _) async throws in
            #expect(try await ask(fixture, ann, seen: 7, "a") == "8")
            try await arrive(fixture, ann)
            #expect(try await ask(fixture, ann, seen: 7, "a") == "there")
            try await fixture.script("select jobrunner.remove_user('acme', 'ann')")
            #expect(
                try await fixture.text("select count(*)::text from jobrunner.raised_counts") == "0")
        }
    }
}
