import Claiming
import Foundation
import JSON
import JobQueue
import Testing

/// Orders that may be thirty minutes old, a catalogue that the whole tenant shares and that an event
/// makes due, and notes that a user may have twice.
private let readerFiles = [
    "fresh": shopFiles["status", default: ""]
        .replacingOccurrences(of: "shop.status", with: "shop.fresh")
        .replacingOccurrences(of: "shop_state", with: "shop_fresh")
        .replacingOccurrences(
            of: "source:", with: "freshness: { soft: 15m, hard: 30m }\nsource:"),
    "catalogue": shopFiles["status", default: ""]
        .replacingOccurrences(of: "shop.status", with: "shop.catalogue")
        .replacingOccurrences(of: "shop_state", with: "shop_catalogue")
        .replacingOccurrences(
            of: "schedule: { every: 5m, deadline: 30s }",
            with: """
                scope: tenant
                schedule:
                  every: 1h
                  deadline: 30s
                  triggers: [{ event: online, debounce: 5m, cancel_on: offline }]
                """),
    "notes": shopFiles["status", default: ""]
        .replacingOccurrences(of: "shop.status", with: "shop.notes")
        .replacingOccurrences(of: "shop_state", with: "shop_note")
        .replacingOccurrences(
            of: "        id: { at: id, type: text, required: true }",
            with: """
                        id: { at: id, type: text, required: true }
                        url: { at: url, type: text }
                        made_at: { at: made_at, type: timestamp }
                """
        )
        .replacingOccurrences(
            of: "write: { table: shop_note, mode: overwrite }",
            with: """
                write:
                      table: shop_note
                      mode: overwrite
                      unique: { by: [url], keep: { oldest: made_at }, losers: keep_hidden }
                health:
                  - { table: shop_note, by: [url] }
                """),
]

extension Installation {
    /// Runs the body with the jobs of this file, tenant acme and its user ann.
    fileprivate static func withReaders(_ body: (Installation) async throws -> Void) async throws {
        try await with { installation in
            for (name, text) in readerFiles {
                _ = try installation.write("jobs/shop/\(name).yaml", text, mode: 0o644)
            }
            let migrated = try await installation.run("migrate")
            #expect(migrated.code == 0, "\(migrated.errors)")
            try await installation.ok(
                "tenant add acme --job shop.fresh --job shop.catalogue --job shop.notes")
            try await installation.ok("user add ann --tenant acme")
            try await body(installation)
        }
    }

    /// Rows of ann's that were read so long ago.
    fileprivate func setAge(_ span: String) async throws {
        try await script(
            """
            insert into synced.shop_fresh (user_id, id)
            select u.id, 'a' from jobrunner.users as u where u.key = 'ann'
            on conflict do nothing;
            \(Given.checkpoint("state", whose: .key("ann").and(.named("shop.fresh"))))
            \(Given.synced("state", ago: span))
            \(Given.notDue())
            """)
    }

    /// Three notes of ann's, two of which have the same address.
    fileprivate func addNotes() async throws {
        try await script(
            """
            insert into synced.shop_note (user_id, id, url, made_at)
            select u.id, n.id, n.url, '2026-01-01'::timestamptz + n.days * interval '1 day'
            from jobrunner.users as u
            cross join (values ('a', 'x', 1), ('b', 'x', 2), ('c', 'y', 3)) as n (id, url, days)
            where u.key = 'ann'
            """)
    }

    fileprivate func dueIsNow(_ job: String) async throws -> Bool {
        try await value("select due_at <= now() from jobrunner.jobs where name = '\(job)'")
            == "true"
    }
}

@Suite struct ReaderTests {
    private let ann = "shop.fresh --tenant acme --user ann"

    @Test func `SC5 rows that are fresh are said to be, and nothing becomes due`() async throws {
        try await Installation.withReaders { installation in
            try await installation.setAge("3 min")
            let words = "fresh: shop.fresh of user ann, read 3 min ago\n"
            #expect(try await installation.ok("fresh \(ann)") == words)
            #expect(try await installation.ok("enqueue \(ann) --wait") == words)
            #expect(try await !installation.dueIsNow("shop.fresh"))
            let json = try await installation.json("fresh \(ann)")
            #expect(json["answer"] == .string("fresh"))
            #expect(json["usable"] == .bool(true))
        }
    }

    @Test func `SC6 rows that may be used are not waited for, and are read again once`()
        async throws
    {
        try await Installation.withReaders { installation in
            try await installation.setAge("20 min")
            let words =
                "refreshing: shop.fresh of user ann, read 20 min ago; the rows may be used while"
                + " they are read again\n"
            #expect(try await installation.ok("enqueue \(ann) --wait") == words)
            #expect(try await installation.ok("fresh \(ann)") == words)
            #expect(try await installation.dueIsNow("shop.fresh"))
        }
    }

    @Test func `SC9 rows as old as hard are waited for`() async throws {
        try await Installation.withReaders { installation in
            try await installation.setAge("30 min")
            let ran = try await installation.run("fresh \(ann)")
            #expect(ran.code == 1)
            #expect(
                ran.output
                    == "too old: shop.fresh of user ann, read 30 min ago; a run is due, and its rows"
                    + " are to be waited for\n")
            // Not due any more, so that only what the program asks for makes it claimable.
            try await installation.setAge("30 min")
            let waiting = try installation.start("enqueue \(ann) --wait")
            try await installation.finishNext("shop.fresh")
            let ended = try await waiting.end()
            #expect(ended.code == 0, "\(ended.errors)")
            #expect(ended.output.hasPrefix("due: shop.fresh of user ann\n"))
            #expect(ended.output.contains("ended complete"))
        }
    }

    @Test func `SC16 force asks for a run however fresh the rows are`() async throws {
        try await Installation.withReaders { installation in
            try await installation.setAge("1 min")
            #expect(
                try await installation.ok("enqueue \(ann) --force")
                    == "due: shop.fresh of user ann\n")
            #expect(try await installation.dueIsNow("shop.fresh"))
        }
    }

    @Test func `a job of the tenant's own needs no user, and takes none`() async throws {
        try await Installation.withReaders { installation in
            let shared = "shop.catalogue --tenant acme"
            #expect(
                try await installation.ok("enqueue \(shared)")
                    == "due: shop.catalogue of tenant acme\n")
            #expect(
                try await installation.ok("pause \(shared)")
                    == "paused 1 job, shop.catalogue of tenant acme\n")
            #expect(
                try await installation.ok("explain \(shared)")
                    .hasPrefix("It does not run because it has been paused"))
            #expect(
                try await installation.ok("resume \(shared)")
                    == "resumed 1 job, shop.catalogue of tenant acme\n")
            #expect(
                try await installation.ok("cancel \(shared)")
                    == "no run of shop.catalogue of tenant acme is under way\n")
            let status = try await installation.json("status --tenant acme --job shop.catalogue")
            #expect(status["jobs"]?.elements?.count == 1)
            for line in ["enqueue", "explain", "cancel", "fresh", "repair"] {
                let ran = try await installation.run("\(line) \(shared) --user ann")
                #expect(ran.code == 65, "\(line)")
                #expect(ran.errors.contains("the tenant's own, not a user's; leave --user out"))
            }
        }
    }

    @Test func `ST24 an event counts after its opposite, and says what it did`() async throws {
        try await Installation.withReaders { installation in
            try await installation.given(.notDue())
            #expect(
                try await installation.ok("trigger online --tenant acme")
                    == "not armed: shop.catalogue of tenant acme; online counts only after the event"
                    + " that undoes it\n")
            #expect(
                try await installation.ok("trigger offline --tenant acme")
                    == "armed: shop.catalogue of tenant acme; the event that follows offline makes it"
                    + " due\n")
            let due = try await installation.json("trigger online --tenant acme")
            #expect(due.elements?.first?["answer"] == .string("due"))
            let seconds = due.elements?.first?["due_in_seconds"]?.numberText.flatMap { Double($0) }
            #expect((200...300).contains(seconds ?? 0))
            #expect(
                try await installation.ok("trigger offline --tenant acme")
                    == "called off: shop.catalogue of tenant acme is due in 60 min again, as its"
                    + " schedule says\n")
            let unknown = try await installation.run("trigger onlin --tenant acme")
            #expect(unknown.code == 65)
            #expect(
                unknown.errors
                    == "jobrunner trigger: no event of tenant acme's own jobs is named \"onlin\";"
                    + " expected offline or online; did you mean online?\n")
        }
    }

    @Test func `LU21 a repair is asked for, and every entity is read in full`() async throws {
        try await Installation.withReaders { installation in
            try await installation.setAge("1 min")
            #expect(
                try await installation.ok("repair \(ann)")
                    == "a repair is due: 1 job, shop.fresh of user ann; it reads everything, sends"
                    + " anew what the source lacks, and keeps unsent edits\n")
            #expect(
                try await installation.value(
                    "select bool_and(full_requested and repair_requested)"
                        + " from jobrunner.checkpoints where job_name = 'shop.fresh'") == "true")
            #expect(try await installation.dueIsNow("shop.fresh"))
        }
    }

    @Test func `LU12 LU13 doctor tells duplicates, is silent of none, and merges when asked`()
        async throws
    {
        try await Installation.withReaders { installation in
            let clean = try await installation.run("doctor")
            #expect(!clean.output.contains("health"))
            try await installation.addNotes()
            let told = try await installation.ok("doctor")
            #expect(
                told.contains(
                    "warning: health: 2 rows of synced.shop_note share 1 value of url, which ought to"
                        + " be unique; jobrunner doctor --merge makes one of each\n"))
            #expect(told.contains(#"2 rows of user ann of tenant acme with {"url":"x"}"#))
            #expect(
                try await installation.value(
                    "select count(*) from synced.shop_note where hidden_at is null") == "3")
            let merged = try await installation.ok("doctor --merge")
            #expect(merged.contains("info: health: merged synced.shop_note: "))
            #expect(!merged.contains("ought to be"))
            #expect(
                try await installation.value(
                    "select string_agg(id, ',' order by id) from synced.shop_note"
                        + " where hidden_at is null") == "a,c")
            #expect(try await installation.ok("doctor --merge").contains("health") == false)
        }
    }

    @Test func `LU12 a starting worker logs duplicates by number, and nothing when there are none`()
        async throws
    {
        try await Installation.withReaders { installation in
            try await installation.given(.notDue())
            let clean = try await installation.run("worker --drain")
            #expect(clean.code == 0, "\(clean.errors)")
            #expect(!clean.errors.contains("duplicates"))
            try await installation.addNotes()
            let told = try await installation.run("worker --drain")
            #expect(told.code == 0)
            let lines = told.errorLines.filter { $0.contains("duplicates found") }
            #expect(lines.count == 1, "\(told.errors)")
            #expect(lines.first?.hasSuffix("table=shop_note by=url values=1 rows=2") == true)
        }
    }
}

extension Installation {
    /// Plays the worker for one run of a job that ends complete.
    fileprivate func finishNext(_ job: String) async throws {
        let queue = Queue(pool)
        let worker = try await queue.registerWorker(
            host: "here", pid: 1, version: "test", capacity: 1)
        var claimed: [ClaimedJob] = []
        try await eventually("a due job") {
            claimed = try await queue.claimJobs(worker: worker, limit: 1, names: [job])
            return !claimed.isEmpty
        }
        _ = try await queue.finishRuns([
            FinishedRun(claim: claimed[0].claim, outcome: .complete, requests: 1)
        ])
    }
}
