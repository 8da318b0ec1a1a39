import Foundation
import JSON
@testable import JobFiles
import Testing

/// What keys mean that no shipped file has.
@Suite struct NewerKeys {
    private func job(_ changes: KeyValuePairs<String, String>) throws -> JobFile {
        let job = try parsed(try smallFile(changes))
        #expect(try parsed(job.expanded) == job)
        return job
    }

    @Test(arguments: ["http://127.0.0.1:80/t", "http://[::1]/t", "http://localhost:8080/t"])
    func `a token endpoint of this machine may be plain`(url: String) throws {
        _ = try job([
            "id: hub,":
                "id: hub, auth: { type: oauth2_client, token_url: \"\(url)\", client_id: me, client_secret: \"{secret.s}\" },"
        ])
    }

    @Test(arguments: [("", true), (", tombstones: ignore", false)])
    func `a flag is a tombstone unless tombstones are ignored`(more: String, isApplied: Bool) throws
    {
        let write = try job([
            "mode: overwrite": "mode: overwrite, deletes: { flag_at: gone\(more) }"
        ])
        .entities[0].write
        #expect(write.deletes?.appliesTombstones == isApplied)
    }

    @Test func `an older file without a new key has the defaults it always had`() throws {
        let job = try parsed(smallFile)
        #expect(job.scope == .user)
        #expect(job.freshness == nil)
        #expect(job.after.isEmpty && job.stores.isEmpty && job.health.isEmpty)
        #expect(!job.notifiesOnChange)
        #expect(job.source.preset == nil)
        #expect(job.entities[0].push == nil && job.entities[0].probe == nil)
        #expect(job.entities[0].records.fields.allSatisfy { $0.form == .plain && $0.meta == nil })
        #expect(job.entities[0].recordNameColumn == nil)
    }

    @Test func `a CloudKit file may name its base, filter by numbers and flag its deleted`() throws
    {
        let file = """
            version: 1
            job: app.refresh
            schedule: { every: 1h, deadline: 5m }
            source:
              id: ck
              preset: cloudkit
              base: "http://127.0.0.1:8080"
              container: iCloud.com.example.app
              environment: development
              database: public
              auth: { type: cloudkit_server, key_id: abc, private_key: "{secret.k}" }
              retry: { attempts: 5 }
            entities:
              - entity: item
                cloudkit:
                  op: records/query
                  type: Item
                  where:
                    - { field: year, op: ">", value: 2000 }
                    - { system: recordName, op: "!=", value: none }
                page: { style: token }
                records:
                  key: [record]
                  fields:
                    record: { meta: recordName, type: text, required: true }
                    tag: { meta: recordChangeTag, type: text }
                    made: { meta: created, type: timestamp }
                    place: { at: place.latitude, type: double }
                write:
                  table: item
                  mode: overwrite
                  deletes: { flag_at: isDeleted, sweep: after_full_pass }
            """
        let job = try parsed(file)
        #expect(try parsed(job.expanded) == job)
        #expect(job.source.base == "http://127.0.0.1:8080")
        #expect(job.source.retry.attempts == 5)
        #expect(job.source.retry.waitFrom.count == 2)
        let item = job.entities[0]
        #expect(item.page.size == 200)
        #expect(item.recordNameColumn == "record" && item.changeTagColumn == "tag")
        #expect(
            item.records.fields.map(\.name) == ["record", "tag", "made", "place", "modified_at"])
        #expect(
            item.records.field(named: "place")?.at.description == "fields.place.value.latitude")
        #expect(item.pushedFields.isEmpty)
        #expect(item.write.deletes?.flagAt?.description == "fields.isDeleted.value")
        #expect(item.write.deletes?.appliesTombstones == true)
        guard case .query(let query) = item.cloudkit else {
            Issue.record("no query")
            return
        }
        #expect(query.filters.map(\.comparator) == ["GREATER_THAN", "NOT_EQUALS"])
        #expect(query.filters[0].value == .literal(.integer(2_000)))
    }

    private func files(_ changes: KeyValuePairs<String, String> = [:]) throws -> JobFileSet {
        let text = try smallFile([
            "version: 1": "version: 1\nstores: { video: { kind: synced } }",
            "type: int, required: true": "type: int",
        ])
        let changed = try changes.reduce(into: text) { file, change in
            try #require(file.contains(change.key), "\(change.key)")
            file = file.replacing(change.key, with: change.value)
        }
        return JobFileSet([ReadFile(Array(changed.utf8), file: "new.yaml")])
    }

    @Test func `PO11 a synced store may be added to`() throws {
        let wider = try files([
            "id: { at: id,": "extra: { at: e, type: text }\n        id: { at: id,",
            "mode: overwrite": "mode: insert_new",
        ])
        #expect(wider.jobs.count == 1)
        #expect(JobFileSet.additions(from: try files(), to: wider).isEmpty)
        #expect(!JobFileSet.additions(from: wider, to: try files()).isEmpty)
    }

    @Test(arguments: [
        ("        seq: { at: seq, type: int }\n", "", "column \"seq\" of the synced store"),
        ("type: timestamp", "type: text", "was timestamp and must stay that, not text"),
        ("key: [id]", "key: [id, second]", "the key of the synced store \"video\" was id"),
        ("table: video", "table: clip", "wrote the synced store \"video\""),
        ("entity: video", "entity: clip", "entity \"video\" of the synced store"),
        ("kind: synced", "kind: disposable", "\"video\" was a synced store and must stay one"),
        ("job: app.refresh", "job: app.other", "job \"app.refresh\" with the synced store"),
    ])
    func `PO3 a synced store is never taken from or changed`(
        old: String, new: String, words: String
    ) throws {
        var after = try files([
            old: new,
            "        id: { at":
                "        second: { at: s, type: text, required: true }\n        id: { at",
        ])
        if new != "key: [id, second]" { after = try files([old: new]) }
        try #require(after.jobs.count == 1)
        let found = JobFileSet.additions(from: try files(), to: after)
        #expect(found.contains { $0.message.contains(words) }, "\(found)")
        #expect(found.allSatisfy { $0.line > 1 && !$0.path.isEmpty }, "\(found)")
    }

    @Test func `a store that is not synced may change as it likes`() throws {
        let plain = JobFileSet([ReadFile(Array(smallFile.utf8), file: "old.yaml")])
        let other = JobFileSet([
            ReadFile(Array(try smallFile(["key: [id]": "key: [seq]"]).utf8), file: "new.yaml")
        ])
        #expect(JobFileSet.additions(from: plain, to: other).isEmpty)
    }

    @Test(arguments: [
        (
            "iCloud.uk.co.adam-young.Popcorn", "iCloud.uk.co.other", "another container",
            "source.container"
        ),
        (
            "environment: production", "environment: development", "another environment",
            "source.environment"
        ),
        ("database: private", "database: shared", "another database", "source.database"),
    ])
    func `two files of one source must mean one CloudKit database`(
        old: String, new: String, words: String, path: String
    ) throws {
        let shipped = try String(
            contentsOf: repository.appending(path: "jobs/popcorn/refresh.yaml"), encoding: .utf8)
        // Zones are made in private databases only, where Core Data mirrors them.
        let first = shipped.replacing(#/  - cloudkit: ensure_zone\n.*\n.*\n/#, with: "")
            .replacing("[cloudkit.create_zone, forget_token]", with: "[forget_token]")
            .replacing(#/op: core_data\n      entity: (\w+)/#) { match in
                "op: changes/zone\n      zone: com.apple.coredata.cloudkit.zone\n      record_types: [\(match.1)]"
            }
        let second = first.replacing("popcorn.refresh", with: "popcorn.status")
            .replacing("watchlist_movie", with: "other_movie")
            .replacing("search_history", with: "other_history")
        try #require(second.contains(old))
        var changed = second.replacing(old, with: new)
        if new == "database: shared" {
            changed = changed.replacing(
                "      zone: ", with: "      owner: \"_them\"\n      zone: ")
        }
        let found = conflicts(
            between: [
                ReadFile(Array(first.utf8), file: "a.yaml"),
                ReadFile(Array(changed.utf8), file: "b.yaml"),
            ])
        #expect(found.map(\.path) == [path])
        #expect(found.allSatisfy { $0.message.contains(words) }, "\(found)")
    }

    @Test func `a table whose edits one entity sends is filled by no other`() throws {
        let shipped = try String(
            contentsOf: repository.appending(path: "jobs/popcorn/refresh.yaml"), encoding: .utf8)
        let found = conflicts(
            between: [
                ReadFile(Array(shipped.utf8), file: "a.yaml"),
                ReadFile(
                    Array(shipped.replacing("popcorn.refresh", with: "popcorn.status").utf8),
                    file: "b.yaml"),
            ])
        // The third table is only read.
        #expect(found.map(\.path) == ["entities[0].write.table", "entities[1].write.table"])
        #expect(found.allSatisfy { $0.message.contains("this entity sends its edits") })
    }
}
