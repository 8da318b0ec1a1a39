import JSON
import JobFiles
import Testing

/// A value's type comes from its key, never from how it looks.
@Suite struct PlainData {
    @Test(arguments: ["no", "012", "1e3", "~", "null", "0x10", "yes", "2025-01-01", "1:30", "a'b"])
    func `a text stays a text however it looks`(text: String) throws {
        let query = try smallFile(["path: /feed": "path: /feed\n      query: { country: \(text) }"])
        let value = try parsed(query).entities[0].request.query[0].value
        #expect(value.pieces == [.literal(text)])
    }

    @Test func `a body keeps JSON's types and nothing more`() throws {
        let body =
            "method: POST\n      body: { a: no, b: 012, c: 1e3, d: \"5\", e: 5, f: true, g: null, "
            + "h: [1, \"{user.x}\"], i: \"{{ }}\" }\n      path: /feed"
        let job = try parsed(try smallFile(["path: /feed": body]))
        guard case .object(let members)? = job.entities[0].request.body else {
            Issue.record("no object")
            return
        }
        func literal(_ text: String) -> BodyTemplate { .text(Template(pieces: [.literal(text)])) }
        let user = Template(pieces: [.placeholder(.user("x"))])
        #expect(
            members.map(\.value) == [
                literal("no"), literal("012"), .literal(.number("1e3")), literal("5"),
                .literal(.number("5")), .literal(.bool(true)), .literal(.null),
                .array([.literal(.number("1")), .text(user)]), literal("{ }"),
            ])
        #expect(try parsed(job.expanded) == job)
    }

    @Test func `JSON is read as it stands`() throws {
        let json = try parsed(smallFile).expanded
        #expect(try parsed(json) == (try parsed(smallFile)))
        let tabbed = json.replacing("\n", with: "\n\t").replacing("  ", with: "")
        #expect(try parsed(tabbed) == (try parsed(smallFile)))
    }

    @Test(arguments: [
        ("250ms", 250), ("2.5s", 2_500), ("0.001s", 1), ("5m", 300_000), ("1h", 3_600_000),
        ("1d", 86_400_000), ("1.5h", 5_400_000),
    ])
    func `durations are exact`(text: String, milliseconds: Int64) throws {
        let file = smallFile.replacing(
            "\"https://hub.example\"",
            with: "\"https://hub.example\", retry: { first: \(text) }")
        let isInRange = milliseconds <= 600_000
        if isInRange {
            #expect(try parsed(file).source.retry.first == .milliseconds(milliseconds))
        } else {
            #expect(try messages(file).map { $0.hasPrefix("expected 1ms to 10m, found") } == [true])
        }
    }

    @Test(arguments: [
        "5", "m", ".5s", "5.s", "1h30m", "-1s", "1e3s", "5 m", "٥s", "0.0001s", "9999999999s",
        "100001d", "999999999d", "100000.5d", "99999999999999999999ms",
    ])
    func `what is no duration is refused`(text: String) throws {
        let file = try smallFile(["every: 1h": "every: \"\(text)\""])
        let found = try messages(file)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("expected a duration") == true)
    }

    @Test(arguments: ["{now-999999999d}", "{now+100001d.date}", "{now-99999999999999ms}"])
    func `a moment that no clock reaches is refused and ends nothing`(_ moment: String) throws {
        let mistake = #expect(throws: FormatError.self) { try Template(parsing: moment) }
        #expect(mistake?.message.contains("must be {now}, {now-30d}") == true)
    }

    @Test(arguments: ["{now-100000d}", "{now+8639999999s}", "{now-8639999999999ms}"])
    func `the longest span is written back in a form that is read`(_ moment: String) throws {
        let template = try Template(parsing: moment)
        #expect(try Template(parsing: template.description) == template)
    }

    @Test(arguments: [
        ("a", 1), ("a.b", 2), ("a[]", 2), ("a[].b", 3), ("[]", 1), ("[].a", 2), ("a[][]", 3),
        ("", 0),
        ("$type.@id", 2), (#"["a.b"]"#, 1), (#"a["b.c"].d[]"#, 4), (#"[]["x y"]"#, 2),
        ("@odata", 1),
        (#"["@odata.nextLink"]"#, 1), (#"["a\"b\\"].c"#, 2), (#"["]"]["["]"#, 2),
        ("[\"\u{599}\\\"\u{301}\"].\u{301}a[]", 3),
    ])
    func `a path is compiled and written back`(text: String, steps: Int) throws {
        let path = try Path(parsing: text)
        #expect(path.steps.count == steps)
        #expect(path.description == text)
    }

    @Test(arguments: [
        ".", "a.", ".a", "a..b", "a[0]", "a[", "a]", "a[]b", "[]a", "a.[]", "a b", "{a}",
        "\"a.b\"", "'a'", "`a`", #"a\.b"#, #"a.["b"]"#, #"[""]"#, #"["a""#, #"["a]"#, #"["a\"]"#,
        #"["a"]b"#,
    ])
    func `what is no path is refused`(text: String) {
        #expect(throws: FormatError.self) { try Path(parsing: text) }
    }

    @Test
    func `a name of OData's that is written without its quotes is refused with the right spelling`()
    {
        let error = #expect(throws: FormatError.self) { try Path(parsing: "@odata.nextLink") }
        #expect(error?.message.contains(#"["@odata.nextLink"]"#) == true)
    }

    @Test func `a byte order mark and Windows line ends do no harm`() throws {
        let windows = "\u{FEFF}" + smallFile.replacing("\n", with: "\r\n")
        #expect(try parsed(windows) == (try parsed(smallFile)))
    }

    @Test func `a mistake keeps the file's own text from breaking its line`() throws {
        let found = try messages(smallFile + "\n\"a\u{202E}b\\n\\e[31m\": 1\n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("unknown key \"a b  [31m\"") == true, "\(found)")
    }

    @Test func `a path finds its values in a document`() throws {
        let text = #"{"a":[{"b":[1,2]},{"c":0},{"b":[3]}],"d":{"e":"x"},"f":null}"#
        let root = try JSONDocument(parsing: Array(text.utf8)).root
        #expect(try Path(parsing: "a[].b[]").nodes(in: root).map(\.rawText) == ["1", "2", "3"])
        #expect(try Path(parsing: "a[].b[]").first(in: root)?.rawText == "1")
        #expect(try Path(parsing: "d.e").first(in: root)?.string == "x")
        #expect(try Path(parsing: "d.e.f").first(in: root) == nil)
        #expect(try Path(parsing: "f").first(in: root)?.kind == .null)
        #expect(try Path(parsing: "d[]").nodes(in: root).isEmpty)
        #expect(try Path(parsing: "").first(in: root)?.count == 3)
        let dotted = try JSONDocument(parsing: Array(#"{"a.b":{"c":1},"a":{"b":2}}"#.utf8)).root
        #expect(try Path(parsing: #"["a.b"].c"#).first(in: dotted)?.int == 1)
        #expect(try Path(parsing: "a.b").first(in: dotted)?.int == 2)
    }

    @Test func `a template is compiled and written back`() throws {
        let text =
            "a{{b}}{user.x}/{call.health.stats.n}{since}{page.token}{page.size}{list.l}{secret.s}"
        let template = try Template(parsing: text)
        #expect(template.description == text)
        #expect(
            template.placeholders == [
                .user("x"), .call("health", Path(steps: [.member("stats"), .member("n")])), .since,
                .pageToken, .pageSize, .list("l"), .secret("s"),
            ])
        #expect(template.pieces.first == .literal("a{b}"))
        #expect(try Template(parsing: "").pieces.isEmpty)
    }
}
