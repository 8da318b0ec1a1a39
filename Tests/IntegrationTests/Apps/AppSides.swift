import JSON
import Postgres
import TestSupport
import Testing

// What devices do at the source.
extension AppCase {
    /// A device edits records, which is its `edit`-th; `isLate`: after all edits that are made here; `isNew`: it may have
    /// to make them.
    func deviceEdits(
        _ names: [String], _ edit: Int = 0, isLate: Bool = false, isNew: Bool = false,
        later: String = "", in world: World
    ) async throws {
        let records = names.map { name in
            record(
                name, (isNew ? whole(name) : [:]).merging(edits(edit, isLate)) { $1 },
                of: isNew ? type : nil)
        }
        try await command("edit", records, later, in: world)
    }

    /// A device adds whole records; nil: without the field that is edited.
    func deviceAdds(_ names: [String], _ edit: Int? = 0, in world: World) async throws {
        let records = names.map { name in
            record(
                name, whole(name).merging(edit.map { edits($0, false) } ?? [:]) { $1 }, of: type)
        }
        try await command("edit", records, "", in: world)
    }

    /// A device adds records that can't be kept.
    func deviceAddsUnfit(_ world: World) async throws {
        try await command(
            "edit", unfit.enumerated().map { record("bad_\($0)", $1, of: type) }, "", in: world)
    }

    /// `untold`: no feed tells of it, as of a deletion that is long ago.
    func deviceDeletes(
        _ names: [String], untold: Bool = false, later: String = "", in world: World
    ) async throws {
        let list = JSONValue.array(names.map(JSONValue.string)).text
        // Queries tell of no deletion.
        let isUntold = untold && zone != nil
        try await world.cloud(
            app, "delete", place + #""names": \#(list), "untold": \#(isUntold)\#(later)"#)
    }

    /// Whose and where the records are, as members of a command.
    var place: String {
        guard let zone else { return "" }
        return #""user": "\#(user)", "zone": "\#(zone)", "#
    }

    private func command(
        _ word: String, _ records: [String], _ later: String, in world: World
    ) async throws {
        try await world.cloud(
            app, word, place + #""records": [\#(records.joined(separator: ", "))]\#(later)"#)
    }

    private func edits(_ edit: Int, _ isLate: Bool) -> [String: String] {
        var fields = [edited.field: edited.values[edit].there]
        if let clock {
            let milliseconds = (isLate ? 4_000_000_000_000 : statusBegin + 1_000_000) + 1000 * edit
            fields[clock] = #"{"value": \#(milliseconds), "type": "TIMESTAMP"}"#
        }
        return fields
    }

    private func record(_ name: String, _ fields: [String: String], of type: String?) -> String {
        let members = fields.map { key, value in
            #""\#(key)": \#(value.hasPrefix("{") ? value : #"{"value": \#(value)}"#)"#
        }
        let type = type.map { #""recordType": "\#($0)", "# } ?? ""
        return
            #"{"recordName": "\#(name)", \#(type)"fields": {\#(members.joined(separator: ", "))}}"#
    }

    /// The source's records of the type, by name.
    func there(_ world: World) async throws -> [String: JSONNode] {
        try await world.cloudRecords(
            app, user: zone == nil ? nil : user, zone: zone, type: type)
    }

    /// The edited field of a record at the source, as JSON.
    func there(_ name: String, in world: World) async throws -> String? {
        try await there(world)[name]?["fields"]?[edited.field]?["value"]?.rawText
    }
}

// What we have and do.
extension AppCase {
    /// The names of the user's rows, page by page.
    func names(_ world: World) async throws -> [String] {
        try await world.texts(
            "select \(key) from synced.\(table) where \(isOurs) order by inserted_at, \(key)")
    }

    /// Which of the edits a row has; nil: another value, or no row.
    func here(_ name: String, in world: World) async throws -> Int? {
        for (number, value) in edited.values.enumerated() {
            let matches = "\(key) = $1 and \(edited.column) = '\(value.here)' and \(isOurs)"
            if try await world.value(
                "select count(*) from synced.\(table) where \(matches)", .text(name)) == "1"
            {
                return number
            }
        }
        return nil
    }

    /// Rows that wait to be sent.
    func unsent(_ world: World) async throws -> [String] {
        try await world.texts("select \(key) from synced.\(table) where not synced order by 1")
    }

    /// An application edits a record here, or adds it with `more`.
    func weEdit(
        _ name: String, _ edit: Int = 0, _ more: [String: String] = [:], user: String? = nil,
        in world: World
    ) async throws {
        let values = [key: "\"\(name)\"", edited.column: "\"\(edited.values[edit].here)\""]
            .merging(more) { $1 }.map { #""\#($0)": \#($1)"# }.joined(separator: ", ")
        try await world.edit(table, "{\(values)}", user: user ?? self.user)
    }

    func weDelete(_ name: String, in world: World) async throws {
        try await world.sql(
            "select jobrunner.delete_record('acme', $1, $2, jsonb_build_object($3::text, $4::text))",
            .text(user), .text(table), .text(key), .text(name))
    }

    private var isOurs: String {
        "user_id = (select id from jobrunner.users where key = '\(user)')"
    }

    /// Runs the job so that it sees what devices have edited, or deleted as well.
    func look(_ world: World, forDeletions: Bool = false) async throws {
        if look == .eachDay || forDeletions && looksUntilGone > 1 {
            try await world.makeStale("25 hours")
        }
        try await world.runAgain()
    }

    /// Compares every column of every table with what the source holds.
    ///
    /// What a push has changed in a record beside its fields comes with a pass.
    func compare(
        _ world: World, withAll: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        if winner == .ours {
            try await world.enqueue(user, full: true, force: true)
            try await world.drain()
        }
        #expect(try await world.unfinished() == [], sourceLocation: sourceLocation)
        let users = zone == nil ? ["*"] : try await world.texts("select key from jobrunner.users")
        try await world.takeCloudTruth(app, types, users: users, zone: zone)
        try await world.sql(
            #"delete from public.truth where r ->> 'recordName' like 'bad\_%'"#)
        for statement in prepareTruth { try await world.sql(statement) }
        try await world.compareAllColumns(
            truth, withAll: withAll, sourceLocation: sourceLocation)
    }
}

// What the source was asked.
extension AppCase {
    /// The pulls, in order.
    func pulls(_ world: World, of type: String? = nil) async throws -> [JSONNode] {
        try await world.source.log().filter {
            $0.text("op") == pull && (type == nil || $0.text("record_type") == type)
        }
    }

    /// Something happens to a pull from now on; `members` are a fault's.
    func fault(_ members: String, at place: Place, times: Int = 1, in world: World) async throws {
        let type = place.type.map { #", "record_type": "\#($0)""# } ?? ""
        try await world.source.fault(
            #"{\#(members), "op": "\#(pull)"\#(type), "skip": \#(place.number - 1), "times": \#(times)}"#
        )
    }
}
