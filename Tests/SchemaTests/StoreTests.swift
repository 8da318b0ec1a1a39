import JSON
import Postgres
import Schema
import Testing

@testable import JobFiles

/// The file of `jobFile` with its table declared as a store.
private func storeFile(_ kind: Store.Kind?, fields: [Field]) -> JobFile {
    var file = jobFile(fields: fields)
    file.stores = kind.map { [Store(table: "hub_video", kind: $0)] } ?? []
    return file
}

@Suite("Stores")
struct StoreTests {
    private let videoID = field("video_id", required: true)

    /// The lines a migrate is refused with.
    private func refusals(_ database: Database, _ files: [JobFile]) async throws -> [String] {
        do {
            try await database.migrate(files)
            return []
        } catch SchemaError.incompatible(let lines) {
            return lines
        }
    }

    @Test func `PO2 a disposable table that does not fit is made anew and read again`() async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([
                storeFile(.disposable, fields: [videoID, field("n", .int)])
            ])
            try await database.script(
                """
                select jobrunner.add_tenant('acme'), jobrunner.add_user('acme', 'ann');
                select jobrunner.give_job('acme', 'metube.refresh');
                update jobrunner.jobs set due_at = now() + interval '30 min';
                insert into synced.hub_video (user_id, video_id, n) values (1, 'a', 1);
                insert into jobrunner.checkpoints (user_id, job_name, entity, tenant_id, generation, watermark, sync_token,
                  validator, probe, last_synced_at)
                values (1, 'metube.refresh', 'video', 1, 3, 'w', 't', 'v', 'p', now()), (1, 'other', 'video', 1, 3, 'w', 't', 'v', 'p', now());
                """)
            let files = [storeFile(.disposable, fields: [videoID, field("n")])]
            let report = try await database.migrate(files)
            #expect(
                report.synced == [
                    "synced.hub_video.n: the job files want text, the table has bigint: its store is disposable",
                    "dropped table synced.hub_video, to be fetched again",
                    "created table synced.hub_video",
                ])
            #expect(try await database.texts("select video_id from synced.hub_video") == [])
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', job_name, generation, full_requested, watermark, sync_token, validator, probe)
                    from jobrunner.checkpoints order by 1
                    """) == ["metube.refresh 4 t", "other 3 f w t v p"])
            #expect(
                try await database.texts("select (due_at <= now())::text from jobrunner.jobs") == [
                    "true"
                ])
            #expect(try await database.migrate(files).isEmpty)
        }
    }

    @Test(arguments: [Store.Kind.synced, nil])
    func `PO3 any other table is never dropped: a line per difference, and nothing is changed`(
        kind: Store.Kind?
    )
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([
                storeFile(kind, fields: [videoID, field("n", .int), field("s", .int)])
            ])
            let lines = try await refusals(
                database,
                [storeFile(kind, fields: [videoID, field("n"), field("s"), field("more")])])
            #expect(
                lines == [
                    "synced.hub_video.n: the job files want text, the table has bigint",
                    "synced.hub_video.s: the job files want text, the table has bigint",
                ])
            #expect(
                try await database.texts(
                    "select attname::text from pg_attribute where attrelid = 'synced.hub_video'::regclass and attname = 'more'"
                )
                    == [])
        }
    }

    @Test func `PO11 a synced store is only added to: neither a field nor an entity may go`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([
                storeFile(.synced, fields: [videoID, field("n"), field("s")])
            ])
            let place =
                "synced.hub_video is a synced store, which may only be added to: job file metube.refresh"
            #expect(
                try await refusals(database, [storeFile(.synced, fields: [videoID])]) == [
                    "\(place) no longer maps its column 'n'",
                    "\(place) no longer maps its column 's'",
                ])
            var renamed = storeFile(.synced, fields: [videoID, field("n"), field("s")])
            renamed.entities[0].name = "film"
            #expect(
                try await refusals(database, [renamed]) == ["\(place) no longer has entity 'video'"]
            )
            let more = [storeFile(.synced, fields: [videoID, field("n"), field("s"), field("t")])]
            #expect(try await database.migrate(more).synced == ["added column synced.hub_video.t"])
            #expect(try await database.migrate(more).isEmpty)
        }
    }

    @Test func `job files that declare one table differently are refused`() async throws {
        try await withTestDatabase { database async throws in
            var other = storeFile(.synced, fields: [videoID])
            other.name = "metube.other"
            #expect(
                try await refusals(database, [storeFile(.disposable, fields: [videoID]), other])
                    == [
                        "synced.hub_video, as job file metube.other wants it: store synced, but another one in another job file"
                    ])
        }
    }

    @Test func `PO10 no key of a synced table denies, and a user's rows go with the user`()
        async throws
    {
        try await Articles.lend { world async throws in
            #expect(
                try await world.texts(
                    "select conname::text from pg_constraint where connamespace = 'synced'::regnamespace and contype = 'f'"
                ) == [])
            try await world.arrive("a", url: "u", saved: 1)
            try await world.arrive("b", url: "u", saved: 1, user: 2)
            try await world.script("select jobrunner.remove_user('acme', 'ann')")
            #expect(try await world.texts("select record_name from synced.article") == ["b"])
        }
    }
}

@Suite("Indexes and live rows")
struct LiveRowTests {
    @Test func `a table has the indexes that its parts look rows up by`() async throws {
        try await Articles.lend(losers: .keepHidden) { world async throws in
            let indexes = try await world.texts(
                """
                select indexdef from pg_indexes
                where schemaname = 'synced' and tablename in ('article', 'status') and indexname !~ '_pkey$'
                order by 1
                """)
            #expect(
                indexes == [
                    "CREATE INDEX article_by_saved_date_title ON synced.article USING btree (user_id, saved_date, title)",
                    "CREATE INDEX article_by_url ON synced.article USING btree (user_id, url)",
                    "CREATE INDEX article_unsent ON synced.article USING btree (user_id) WHERE ((NOT synced) OR pending_delete)",
                    "CREATE INDEX status_by_record_name ON synced.status USING btree (user_id, record_name)",
                    "CREATE INDEX status_unsent ON synced.status USING btree (user_id) WHERE ((NOT synced) OR pending_delete)",
                ])
        }
    }

    @Test
    func `LU17 the view of live rows leaves out what is deleted softly, waits to go, or is hidden`()
        async throws
    {
        try await Articles.lend(losers: .keepHidden) { world async throws in
            for name in ["soft", "going", "hidden", "live"] {
                try await world.arrive(name, url: name, saved: 1)
            }
            try await world.script(
                """
                update synced.article set deleted_at = now() where record_name = 'soft';
                update synced.article set pending_delete = true where record_name = 'going';
                update synced.article set hidden_at = now() where record_name = 'hidden';
                """)
            #expect(try await world.live() == ["live 0 0 0"])
            #expect(
                try await world.text("select to_regclass('synced.recipe_live')::text") == "null")
        }
    }

    @Test func `a second migrate finds nothing to do, and an added field comes into the view`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([articleFile(), statusFile(), recipeFile()])
            let before = try await database.fingerprint()
            #expect(
                try await database.migrate([articleFile(), statusFile(), recipeFile()]).isEmpty)
            #expect(try await database.fingerprint() == before)
            var file = articleFile()
            file.entities[0].records.fields.append(field("note"))
            file.entities[0].write.indexes.append(["note"])
            #expect(
                try await database.migrate([file]).synced == [
                    "added column synced.article.note", "created index synced.article_by_note",
                    "replaced view synced.article_live",
                ])
            #expect(try await database.texts("select note from synced.article_live") == [])
            #expect(try await database.migrate([file]).isEmpty)
        }
    }

    @Test func `a table that pushes later gets what pushes keep`() async throws {
        try await withTestDatabase { database async throws in
            var plain = articleFile()
            plain.entities[0].push = nil
            plain.entities[0].write.unique = nil
            plain.entities[0].write.deletes = nil
            try await database.migrate([plain])
            try await database.script(
                "insert into synced.article (user_id, record_name) values (1, 'a')")
            try await database.migrate([articleFile()])
            #expect(
                try await database.texts("select pending_delete::text from synced.article_live")
                    == ["false"])
        }
    }

    @Test func `a table that has the name of the view is refused`() async throws {
        try await withTestDatabase { database async throws in
            do {
                try await database.migrate([articleFile(), jobFile(table: "article_live")])
                Issue.record("it was not refused")
            } catch SchemaError.incompatible(let lines) {
                #expect(lines == ["'article_live' can't name the view of live rows"])
            }
        }
    }
}
