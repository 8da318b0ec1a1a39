// A job file as it is stored; what a test of the queue needs of it without parsing one.
extension Given {
    private static func files(_ change: String, _ name: String? = nil) -> Given {
        update("job_files", change, named(name))
    }

    /// Its events, objects of JSON.
    public static func triggers(_ json: String, of name: String? = nil) -> Given {
        files("triggers = '[\(json)]'", name)
    }
    /// Its entities, objects of JSON.
    public static func entities(_ json: String, of name: String) -> Given {
        files("expanded = '{\"entities\": [\(json)]}'", name)
    }
    /// What is told of its runs.
    public static func events(_ kind: String) -> Given { files("events = '{\(kind)}'") }
    /// Applications hear of what a run has changed.
    public static func notifying() -> Given { files("notifies = true") }
    /// No person has paused it.
    public static func unpausedFiles() -> Given { files("paused_at = null") }
    /// So many requests a second.
    public static func rate(_ perSecond: Double) -> Given { files("per_second = \(perSecond)") }
    /// Rows are stale, and of no use, at these ages; at none when nothing is said.
    public static func ages(soft: String? = nil, hard: String? = nil) -> Given {
        files("soft = \(literal(soft)), hard = \(literal(hard))")
    }
    /// Users whose rows nobody looks at are read more rarely.
    public static func slowing(after age: String, every period: String) -> Given {
        files("slow_after = '\(age)', slow_every = '\(period)'")
    }
    /// The columns of entity `item` changed so long ago.
    public static func columnsChanged(ago span: String) -> Given {
        files("columns_changed = jsonb_set(columns_changed, '{item,at}', to_jsonb(\(ago(span))))")
    }
    /// The changed columns of entity `item` are filled over such a span.
    public static func columnsFilled(over span: String) -> Given {
        files("columns_changed = jsonb_set(columns_changed, '{item,over}', '\"\(span)\"')")
    }
    /// A field of the first entity is new.
    public static func newField(_ name: String) -> Given {
        let before = "expanded #- '{entities,0,records,fields,\(name)}'"
        return files("columns_changed = jobrunner.changed_columns(\(before), expanded)")
    }

    /// A synced table that is there belongs to the product.
    public static func syncedTable(_ name: String, _ kind: String = "entity") -> Given {
        Given("insert into jobrunner.synced_tables (name, kind) values ('\(name)', '\(kind)')")
    }
    /// Applications may write synced tables, which hastens a job.
    public static func writableTables(_ job: String, debounce: Int) -> Given {
        update(
            "synced_tables", #"writable = '{"job": "\#(job)", "debounce_ms": \#(debounce)}'"#)
    }
}
