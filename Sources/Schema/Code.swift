import Postgres

/// Functions and views: what may be applied again and again.
struct Code: Sendable {
    let functions: [SQLFile]
    let views: [SQLFile]
    /// Changes with every file, migrations included, because all of it may depend on them.
    let checksum: String

    init(_ files: [SQLFile]) {
        functions = files.filter { $0.isIn("functions") }
        views = files.filter { $0.isIn("views") }
        checksum = Schema.checksum(
            of: files.map { "\($0.path) \(Schema.checksum(of: $0.text))\n" }.joined())
    }
}

extension Session {
    /// Whether this version of the code is the one in force.
    func isInForce(_ code: Code) throws -> Bool {
        try query(
            .unprepared(
                """
                select checksum from jobrunner.applied_code order by applied_at desc limit 1
                """)
        ).first?.text(0) == code.checksum
    }

    /// Whether this version of the code was ever in force; what came after it knows it.
    func wasInForce(_ code: Code) throws -> Bool {
        try query(
            .unprepared(
                "select exists (select from jobrunner.applied_code where checksum = $1)",
                .text(code.checksum))
        ).only().bool(0)
    }

    /// Puts all functions and views in force in one transaction; returns what was dropped because
    /// no file defines it any more.
    func apply(_ code: Code) throws -> [String] {
        var dropped: [String] = []
        try change { session in
            try session.script("set local check_function_bodies = off")
            dropped = try session.dropViews(except: code.views.map(\.name))
            dropped += try session.dropFunctions(except: code.functions.map(\.name))
            for file in code.functions { try session.define(function: file, beside: code.views) }
            for file in code.views { try session.define(view: file) }
            _ = try session.query(
                .unprepared(
                    """
                    insert into jobrunner.applied_code (checksum) values ($1)
                    on conflict (checksum) do update set applied_at = excluded.applied_at
                    """, .text(code.checksum)))
            _ = try session.query(
                .unprepared(
                    """
                    select jobrunner.note_act('apply_code', $1,
                      jsonb_build_object('dropped', nullif($2::text[], '{}')))
                    """, .text(code.checksum), .textArray(dropped)))
        }
        return dropped
    }

    /// Replaces the function, or drops it first when its arguments or its result have changed.
    private func define(function file: SQLFile, beside views: [SQLFile]) throws {
        try script("savepoint definition")
        do {
            try script(file.text)
            if try overloads(of: file.name) == 1 { return }
        } catch let error as DatabaseError
            where error.sqlstate == "42P13" || error.sqlstate == "42725"
        {
            // Another result or argument name, or the comment fits the old overload as well.
        } catch let error as DatabaseError where error.sqlstate != nil && !error.isTransient {
            throw SchemaError.failed(file: file.path, error)
        }
        try script("rollback to savepoint definition")
        // They may use the function, and are defined after all functions.
        _ = try drop("view", viewNames(in: views.map(\.name)))
        _ = try drop("routine", signatures(of: [file.name]))
        try run(file)
    }

    /// Replaces the view, or drops it first when its columns have changed.
    private func define(view file: SQLFile) throws {
        try script("savepoint definition")
        do {
            try script(file.text)
        } catch let error as DatabaseError where error.sqlstate == "42P16" {
            try script("rollback to savepoint definition; drop view jobrunner.\(quoted(file.name))")
            try run(file)
        } catch let error as DatabaseError where error.sqlstate != nil && !error.isTransient {
            throw SchemaError.failed(file: file.path, error)
        }
    }

    private func overloads(of name: String) throws -> Int { try signatures(of: [name]).count }

    private func dropViews(except names: [String]) throws -> [String] {
        let views = try query(
            .unprepared(
                """
                select c.oid::regclass::text
                from pg_class as c
                where c.relnamespace = 'jobrunner'::regnamespace and c.relkind = 'v'
                  and c.relname <> all ($1)
                order by c.relname
                """, .textArray(names))
        ).map { try $0.text(0) }
        return try drop("view", views)
    }

    private func dropFunctions(except names: [String]) throws -> [String] {
        let functions = try query(
            .unprepared(
                """
                select p.oid::regprocedure::text
                from pg_proc as p
                where p.pronamespace = 'jobrunner'::regnamespace and p.proname <> all ($1)
                order by p.proname
                """, .textArray(names))
        ).map { try $0.text(0) }
        return try drop("routine", functions)
    }

    private func viewNames(in names: [String]) throws -> [String] {
        try query(
            .unprepared(
                """
                select c.oid::regclass::text
                from pg_class as c
                where c.relnamespace = 'jobrunner'::regnamespace and c.relkind = 'v'
                  and c.relname = any ($1)
                """, .textArray(names))
        ).map { try $0.text(0) }
    }

    private func signatures(of names: [String]) throws -> [String] {
        try query(
            .unprepared(
                """
                select p.oid::regprocedure::text
                from pg_proc as p
                where p.pronamespace = 'jobrunner'::regnamespace and p.proname = any ($1)
                """, .textArray(names))
        ).map { try $0.text(0) }
    }

    /// Drops all of them at once, so that those that use each other may go.
    private func drop(_ kind: String, _ objects: [String]) throws -> [String] {
        guard !objects.isEmpty else { return [] }
        try script("drop \(kind) \(objects.joined(separator: ", "))")
        return objects
    }
}
