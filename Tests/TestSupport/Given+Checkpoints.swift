extension Given {
    private static func checkpoints(_ change: String, _ condition: String? = nil) -> Given {
        update("checkpoints", change, condition)
    }

    /// Jobs have a checkpoint of each of these entities, as new as can be.
    public static func checkpoint(_ entities: String..., whose: Whose = .all) -> Given {
        Given(
            """
            insert into jobrunner.checkpoints (user_id, job_name, entity, tenant_id)
            select user_id, name, entity, tenant_id
            from jobrunner.jobs, unnest('{\(entities.joined(separator: ","))}'::text[]) as entity
            where \(whose.condition)
            on conflict do nothing
            """)
    }
    /// A full pass of an entity lacked a row, which waits for the second look.
    public static func rowLacking(_ entity: String) -> Given {
        Given(
            """
            insert into jobrunner.seen_pages (user_id, job_name, entity, pass_number, page_number, keys)
            select user_id, job_name, entity, pass_number, 0, '{1}'
            from jobrunner.checkpoints
            where \(named(entity, "entity"))
            """)
    }
    /// The last pass of an entity, or of each, was complete so long ago.
    public static func synced(_ entity: String? = nil, ago span: String = "0 s") -> Given {
        checkpoints("last_synced_at = \(ago(span))", named(entity, "entity"))
    }
    /// What was read and found unchanged was so that much earlier.
    public static func staler(_ span: String) -> Given {
        Given(
            """
            update jobrunner.checkpoints set last_synced_at = last_synced_at - interval '\(span)',
              last_full_at = last_full_at - interval '\(span)';
            update jobrunner.jobs set unchanged_at = unchanged_at - interval '\(span)'
            """)
    }
    /// Nothing is known of an entity, or of any.
    public static func noCheckpoint(_ entity: String? = nil) -> Given {
        Given("delete from jobrunner.checkpoints where \(named(entity, "entity"))")
    }
    /// The last pass over everything began so long ago.
    public static func readFully(ago span: String) -> Given {
        checkpoints("last_full_at = \(ago(span))")
    }
    /// Somebody wants everything read anew.
    public static func fullAsked() -> Given { checkpoints("full_asked = full_asked + 1") }
    /// What was asked so far is not what would be asked now.
    public static func otherQuestion() -> Given { checkpoints("asked = 0") }
    /// The newest record that was read is from then.
    public static func watermark(_ time: String) -> Given { checkpoints("watermark = '\(time)'") }
    /// The third character of what an upstream calls its version is another, an expression of SQL.
    public static func validator(marked character: String) -> Given {
        checkpoints("validator = overlay(validator placing \(character) from 3 for 1)")
    }

    /// A full pass of an entity is on its way that began so long ago and has read so many pages.
    public static func passing(_ entity: String, for span: String, pages: Int) -> Given {
        checkpoints(
            "pass_kind = 'full', pass_started_at = \(ago(span)), page_number = \(pages)",
            named(entity, "entity"))
    }
    /// An incremental pass is on its way that began then, and reads what is newer.
    public static func passing(since time: String) -> Given {
        checkpoints(
            "pass_kind = 'incremental', pass_started_at = '\(time)', pass_since = '\(time)'")
    }
    /// A page has been committed, so many records being read up to it.
    public static func page(_ number: Int, records: Int, whose: Whose) -> Given {
        checkpoints(
            """
            page_number = \(number), counters.pages = \(number), counters.fetched = \(records),
              counters.inserted = \(records)
            """, whose.condition)
    }
    /// An entity has just failed.
    public static func failingEntity(_ entity: String) -> Given {
        checkpoints(
            "last_error_kind = 'rejected', last_error = 'x', last_error_at = now()",
            named(entity, "entity"))
    }
    /// A trouble of an entity began then.
    public static func trouble(_ kind: String, since time: String) -> Given {
        checkpoints("troubles = jsonb_set(troubles, '{\(kind),since}', '\"\(time)\"')")
    }
}
