import Foundation
import JobFiles
import Testing

/// What a position belongs to.
@Suite struct QuestionHashTests {
    private func question(_ change: (String) -> String = { $0 }) throws -> Question {
        let text = """
            version: 1
            job: app.items
            schedule: { every: 1h, deadline: 5m }
            source: { id: app, base: "https://app.example", auth: { type: bearer, token: "{secret.token}" } }
            calls:
              account: { path: "/me/{user.login}" }
            before: [{ call: account }]
            entities:
              - entity: item
                request: { path: "/items/{call.account.id}", query: { c: "{page.token}", since: "{since}", kind: book } }
                page: { style: token, token_at: next, size: 50 }
                incremental: { watermark: max_seen, full_every: 1d }
                records:
                  at: items[]
                  key: [id]
                  fields:
                    id: { at: id, type: text, required: true }
                    at: { at: at, type: timestamp }
                    name: { at: name, type: text }
                write: { table: item, mode: newest_wins, newer_by: at }
            """
        return try JobFile.parse(change(text), file: "items.yaml").get().entities[0].question
    }

    @Test(arguments: [
        ("kind: book", "kind: film"), ("path: \"/items/", "path: \"/things/"),
        ("at: items[]", "at: rows[]"),
        ("size: 50", "size: 20"), ("watermark: max_seen", "watermark: run_start"),
        ("table: item,", "table: things,"), ("at: { at: at,", "at: { at: changed,"),
        ("/me/{user.login}", "/us/{user.login}"),
        ("source: { id: app,", "source: { id: app, zone: Europe/Berlin,"),
    ])
    func `what decides the records is part of it`(_ old: String, _ new: String) throws {
        #expect(try question() != question { $0.replacing(old, with: new) })
    }

    @Test(arguments: [
        ("every: 1h", "every: 2h"), ("full_every: 1d", "full_every: 2d"),
        ("name: { at: name", "name: { at: title"),
        ("{secret.token}", "{secret.other}"), ("deadline: 5m", "deadline: 6m"),
    ])
    func `what decides no record is not`(_ old: String, _ new: String) throws {
        #expect(try question() == question { $0.replacing(old, with: new) })
    }

    @Test func `the attributes of a call whose answer is sent count too`() throws {
        #expect(try question().attributes == ["login"])
    }

    /// Another number has the data of everybody who uses such a file read anew with the next version.
    @Test func `a question stays the same from version to version`() throws {
        let hash = try question().hash
        #expect(hash == 4040952148390325020, "\(hash)")
    }
}
