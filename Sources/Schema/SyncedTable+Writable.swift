import Basics
import JSON
import JobFiles

extension SyncedTable {
    /// What local edits and merges must know of an entity's table, for `synced_tables.writable`.
    static func writable(_ entity: Entity, of jobFile: JobFile) -> JSONValue {
        .members(
            ("job", .string(jobFile.name)),
            ("fields", .texts(entity.records.fields.map(\.name))),
            ("edited", .texts(entity.records.fields.filter { $0.meta == nil }.map(\.name))),
            ("key", .texts(entity.records.key)), ("stamps", .texts(entity.stamps)),
            ("raises", entity.raisedVersion.map { .string($0) }),
            ("record_name", entity.recordNameColumn.map { .string($0) }),
            ("change_tag", entity.changeTagColumn.map { .string($0) }),
            ("soft_field", entity.write.deletes?.softField.map { .string($0) }),
            ("push", .bool(entity.push != nil)),
            ("sends_deletes", .bool(entity.push?.sendsDeletes == true)),
            (
                "debounce_ms",
                entity.push?.debounce.map { .number(String($0.wholeMicroseconds / 1000)) }
            ), ("hides", .bool(entity.hidesLosers)), ("unique", entity.write.unique?.stored))
    }

    /// The job that a change of a list makes due; nil when none is.
    static func writable(_ list: ListTable, of jobFile: JobFile) -> JSONValue? {
        list.debounce.map { debounce in
            .members(
                ("job", .string(jobFile.name)),
                ("debounce_ms", .number(String(debounce.wholeMicroseconds / 1000))))
        }
    }

    /// Of two entities that share a table, the one that pushes or else merges decides; of two lists the first with a
    /// debounce.
    mutating func takeWritable(_ other: SyncedTable) {
        guard writable != nil else {
            writable = other.writable
            return
        }
        let rank = { (value: JSONValue?) in
            (value?.member("push") == .bool(true) ? 2 : 0)
                + (value?.member("unique") == nil ? 0 : 1)
        }
        if rank(other.writable) > rank(writable) { writable = other.writable }
    }
}

extension Entity {
    /// The columns that a local edit sets to the present time: never one that the source keeps.
    fileprivate var stamps: [String] {
        guard let mapped = records.field(named: "last_modified") else {
            return ["last_modified"] + newerByStamp
        }
        return (mapped.isOwnTime ? ["last_modified"] : [])
            + newerByStamp.filter { $0 != "last_modified" }
    }

    /// The whole number that is the version of what is sent: a local edit raises it by one.
    fileprivate var raisedVersion: String? {
        guard push != nil, let name = write.newerBy, let field = records.field(named: name),
            field.kind == .int, field.meta == nil
        else { return nil }
        return name
    }

    private var newerByStamp: [String] {
        guard let name = write.newerBy, name != "modified_at",
            records.field(named: name)?.isOwnTime == true
        else { return [] }
        return [name]
    }
}

extension Field {
    fileprivate var isOwnTime: Bool { kind == .timestamp && meta == nil }
}

extension Unique {
    fileprivate var stored: JSONValue {
        .members(
            ("by", .texts(by)), ("keep", .string(keep.rawValue)),
            ("keep_field", .string(keepField)), ("losers", .string(losers.rawValue)),
            (
                "merge",
                .object(merge.map { JSONMember($0.column, .string($0.rule.rawValue)) })
            ))
    }
}

extension JSONValue {
    /// An object of the members that have a value.
    fileprivate static func members(_ members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
    }

    fileprivate static func texts(_ texts: [String]) -> JSONValue {
        .array(texts.map { .string($0) })
    }

    fileprivate func member(_ name: String) -> JSONValue? {
        members?.first { $0.name == name }?.value
    }
}
