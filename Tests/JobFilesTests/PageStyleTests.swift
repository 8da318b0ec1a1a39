import JobFiles
import Testing

/// Every page style, sign-in and default compiles to its model and back.
@Suite struct Variants {
    static let token = "path: /feed\n      query: { at: \"{page.token}\" }"
    static let styles: [(yaml: String, sends: Bool, style: Page.Style)] = [
        ("single", false, .single),
        (
            "token\n      token_at: a.next", true,
            .token(.body(Path(steps: [.member("a"), .member("next")])))
        ),
        ("next_url\n      url_at: next", false, .nextURL(.body(Path(steps: [.member("next")])))),
        ("next_url\n      url_header: X-Next", false, .nextURL(.header("X-Next"))),
        ("link_header", false, .linkHeader(endIf: [])),
        ("offset", true, .offset(start: 0, totalAt: nil)),
        (
            "offset\n      start: 5\n      total_at: total", true,
            .offset(start: 5, totalAt: Path(steps: [.member("total")]))
        ),
        ("page", true, .number(start: 1, end: nil)),
        (
            "page\n      start: 0\n      last_at: last", true,
            .number(start: 0, end: .last(Path(steps: [.member("last")])))
        ),
        (
            "page\n      next_at: next", true,
            .number(start: 1, end: .next(Path(steps: [.member("next")])))
        ),
        (
            "page\n      total_at: a.count", true,
            .number(start: 1, end: .total(Path(steps: [.member("a"), .member("count")])))
        ),
        (
            "keyset\n      token_at: max\n      start: 0", true,
            .keyset(.body(Path(steps: [.member("max")])), start: "0")
        ),
        ("keyset\n      by: seq\n      start: \"\"", true, .keyset(.field("seq"), start: "")),
    ]

    @Test(arguments: styles)
    func `a page style is read and written back`(
        row: (yaml: String, sends: Bool, style: Page.Style)
    )
        throws
    {
        let file = try smallFile([
            "style: single": "style: \(row.yaml)",
            "path: /feed": row.sends ? Self.token : "path: /feed",
        ])
        let job = try parsed(file)
        #expect(job.entities[0].page.style == row.style)
        #expect(job.entities[0].page.persists == false)
        #expect(try parsed(job.expanded) == job)
        if row.sends {
            let found = try messages(try smallFile(["style: single": "style: \(row.yaml)"]))
            #expect(found.count == 1)
            #expect(found.first?.contains("{page.token} is never sent") == true)
        } else {
            let found = try messages(
                try smallFile(["style: single": "style: \(row.yaml)", "path: /feed": Self.token]))
            #expect(found.count == 1)
            #expect(found.first?.contains("{page.token} has no value") == true)
        }
    }

    @Test func `a keyset may persist and end at a short page`() throws {
        let page =
            "keyset\n      by: seq\n      start: 0\n      persist: true\n      size: 5\n      end: short_page"
        let file = try smallFile([
            "style: single": "style: \(page)", "path: /feed": Self.token,
        ])
        let job = try parsed(file)
        #expect(job.entities[0].page.persists)
        #expect(job.entities[0].page.end == .shortPage)
        #expect(job.entities[0].page.size == 5)
        #expect(try parsed(job.expanded) == job)
    }

    @Test(arguments: [
        ("{ type: none }", Authentication.none),
        (
            "{ type: basic, user: me, password: \"{secret.p}\" }",
            .basic(
                user: Template(pieces: [.literal("me")]),
                password: Template(pieces: [.placeholder(.secret("p"))]))
        ),
        (
            "{ type: bearer, token: \"{secret.t}\" }",
            .bearer(token: Template(pieces: [.placeholder(.secret("t"))]))
        ),
        (
            "{ type: header, name: X-Key, value: \"k {secret.t}\" }",
            .header(
                name: "X-Key",
                value: Template(pieces: [.literal("k "), .placeholder(.secret("t"))]))
        ),
        (
            "{ type: query, name: key, value: \"{secret.t}\" }",
            .query(name: "key", value: Template(pieces: [.placeholder(.secret("t"))]))
        ),
    ])
    func `a sign-in is read and written back`(yaml: String, auth: Authentication) throws {
        let file = try smallFile(["id: hub,": "id: hub, auth: \(yaml),"])
        let job = try parsed(file)
        #expect(job.source.auth == auth)
        #expect(try parsed(job.expanded) == job)
    }

    @Test func `what a file leaves out has its default`() throws {
        let job = try parsed(smallFile)
        #expect(job.schedule.spread == .user)
        #expect(job.source.timeout == .seconds(30))
        #expect(job.source.retry.attempts == 3)
        #expect(job.source.retry.on.count == 5)
        #expect(job.source.rate == nil)
        #expect(job.entities[0].request.method == "GET")
        #expect(job.entities[0].incremental == nil)
    }

    @Test func `defaults are merged into every entity and an own page style stands alone`() throws {
        let file = """
            version: 1
            job: app.refresh
            schedule: { every: 1h, deadline: 5m }
            source: { id: hub, base: "https://hub.example/v1" }
            defaults:
              page: { style: token, token_at: next, size: 200 }
              records:
                at: items[]
                key: [id]
                fields: { id: { at: id, type: text, required: true } }
              write: { mode: overwrite }
            entities:
              - entity: team
                request: { path: /teams, query: { c: "{page.token}" } }
                page: { size: 50 }
                write: { table: team }
              - entity: sport
                request: { path: /sports }
                page: { style: single }
                records: { fields: { name: { at: name, type: text } } }
                write: { table: sport, mode: insert_new }
            """
        let job = try parsed(file)
        #expect(job.entities.map(\.page.size) == [50, nil])
        #expect(job.entities.map(\.write.mode) == [.overwrite, .insertNew])
        #expect(job.entities[1].page.style == .single)
        #expect(job.entities[1].records.fields.map(\.name) == ["name", "id"])
        #expect(try parsed(job.expanded) == job)
    }
}
