import JSON
import JobFiles
import Postgres
import Testing

/// Records that refer to each other, and rows that an application hangs on them.
@Suite struct PopcornLinkTests {
    @Test func `PO9 a child that comes before its parent is stored, and its link resolves later`()
        async throws
    {
        try await withMovies(0, changes: parented) { world in
            try await world.put([
                movie("child", fields: #""CD_parent": {"value": "parent"}"#),
                movie("other", fields: ""), movie("parent", fields: ""),
            ])
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "op": "changes/zone", "code": "ACCESS_DENIED", "nth": 9}"#
            )
            try await world.drain()
            // Seven pages of other types and the child's are here: the link leads nowhere yet.
            #expect(try await world.movies() == ["child"])
            #expect(try await resolved(world) == [])
            try await world.runAgain()
            #expect(try await resolved(world) == ["child parent"])
            #expect(
                try await world.texts(
                    "select conname from pg_constraint where contype = 'f' and connamespace = 'synced'::regnamespace"
                ) == [])
        }
    }

    /// Grandchild, child and parent, one to a page, in each of the six orders.
    @Test func `PO9 in whatever order parents and children come, each page is stored as it comes`()
        async throws
    {
        let family = [("a", "b"), ("b", "c"), ("c", "")]
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        try await withMovies(0, users: 6, changes: parented) { world in
            for (number, order) in orders.enumerated() {
                try await world.put(
                    order.map { index in
                        let (name, parent) = family[index]
                        return movie(
                            name,
                            fields: parent.isEmpty ? "" : #""CD_parent": {"value": "\#(parent)"}"#)
                    }, of: userName(number + 1))
            }
            try await world.drain()
            #expect(try await world.unfinished() == [])
            for (number, order) in orders.enumerated() {
                let user = try await world.userID(userName(number + 1))
                // Each in a transaction of its own, in the order in which the source gave them.
                #expect(
                    try await world.texts(
                        "select record_name from synced.watchlist_movie where user_id = \(user) order by inserted_at"
                    ) == order.map { family[$0].0 })
                #expect(
                    try await world.texts(
                        """
                        select c.record_name || p.record_name from synced.watchlist_movie as c
                        join synced.watchlist_movie as p on p.user_id = c.user_id and p.record_name = c.parent
                        where c.user_id = \(user) order by 1
                        """) == ["ab", "bc"])
            }
        }
    }

    /// A tombstone, an absence from a full pass, and the user's removal all delete rows.
    @Test(arguments: ["tombstone", "sweep", "removal"])
    func `PO10 however a row goes, what hangs on it goes or is let go with it, and nothing else`(
        _ way: String
    ) async throws {
        let swept = [
            (
                "        tombstones: delete",
                "        tombstones: delete\n        sweep: after_full_pass"
            )
        ]
        try await withMovies(9, users: 2, changes: parented + (way == "sweep" ? swept : [])) {
            world in
            try await world.drain()
            try await hang(on: "true", world)
            let name = try #require(
                try await world.value(
                    "select min(record_name) from synced.watchlist_movie where user_id = \(try await world.userID(firstUser))"
                ))
            let other = try await world.userID(userName(2))
            if way == "removal" {
                try await world.sql("select jobrunner.remove_user('acme', $1)", .text(firstUser))
            } else {
                try await world.cloud(
                    .popcorn, "delete",
                    #""user": "\#(firstUser)", "zone": "\#(zone)", "names": ["\#(name)"]"#)
                if way == "sweep" {
                    try await world.sql("select jobrunner.reset_jobs('acme', $1)", .text(firstUser))
                }
                try await world.runAgain()
            }
            #expect(try await world.unfinished() == [])
            let gone = way == "removal" ? 9 : 1
            for (table, left) in [("note", 18 - gone), ("mark", 18)] {
                #expect(
                    try await world.value("select count(*) from public.\(table)") == "\(left)")
            }
            #expect(
                try await world.value(
                    "select count(*) from public.mark where record_name is null") == "\(gone)")
            #expect(
                try await world.value(
                    "select count(*) from synced.watchlist_movie where user_id = \(other)") == "9")
            #expect(
                try await world.value("select count(*) from synced.watchlist_movie")
                    == "\(18 - gone)")
        }
    }

    /// Nobody keeps an application from hanging a key of such a kind on a table.
    @Test func `PO10 a key that denies fails its own user's job, says its name, and loses nothing`()
        async throws
    {
        try await withMovies(3, users: 2) { world in
            try await world.drain()
            try await world.sql(
                """
                create table public.note (
                  user_id bigint, record_name text,
                  constraint note_hangs_on_a_movie foreign key (user_id, record_name)
                    references synced.watchlist_movie (user_id, record_name)
                )
                """)
            let user = try await world.userID(firstUser)
            let name = try #require(
                try await world.value(
                    "select min(record_name) from synced.watchlist_movie where user_id = \(user)"))
            try await world.sql("insert into public.note values (\(user), $1)", .text(name))
            for number in 1...2 {
                try await world.cloud(
                    .popcorn, "delete",
                    #""user": "\#(userName(number))", "zone": "\#(zone)", "count": 1"#)
            }
            try await world.cloud(
                .popcorn, "delete",
                #""user": "\#(firstUser)", "zone": "\#(zone)", "names": ["\#(name)"]"#)
            try await world.runAgain()
            #expect(try await world.job(userName(2)).text("last_outcome") == "complete")
            let job = try await world.job(firstUser)
            #expect(job.text("last_outcome") == "failed")
            #expect(job.text("last_error")?.contains("note_hangs_on_a_movie") == true)
            #expect(try await world.value("select count(*) from public.note") == "1")
            // Once it is gone the next run goes on from the same place.
            try await world.sql("drop table public.note")
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            for number in 1...2 {
                let there = try await world.cloudRecords(
                    .popcorn, user: userName(number), zone: zone,
                    type: "CD_MoviesWatchlistMovieEntity")
                #expect(
                    try await world.texts(
                        "select record_name from synced.watchlist_movie where user_id = \(try await world.userID(userName(number))) order by 1"
                    ) == there.keys.sorted())
            }
        }
    }

    /// An application's rows at some of the movies: notes go with them, marks are let go.
    private func hang(on condition: String, _ world: World) async throws {
        for (table, rule) in [("note", "cascade"), ("mark", "set null (record_name)")] {
            try await world.sql(
                """
                create table public.\(table) (
                  user_id bigint, record_name text,
                  foreign key (user_id, record_name) references synced.watchlist_movie (user_id, record_name)
                    on delete \(rule)
                )
                """)
            try await world.sql(
                "insert into public.\(table) select user_id, record_name from synced.watchlist_movie where \(condition)"
            )
        }
    }

    private let parented = [
        ("size: 200", "size: 1"),
        (
            "        created_at: { at: createdAt",
            "        parent: { at: parent, type: text }\n        created_at: { at: createdAt"
        ),
    ]

    private func resolved(_ world: World) async throws -> [String] {
        try await world.texts(
            """
            select c.record_name || ' ' || p.record_name from synced.watchlist_movie as c
            join synced.watchlist_movie as p on p.user_id = c.user_id and p.record_name = c.parent
            """)
    }
}

private let zone = coreDataZone
