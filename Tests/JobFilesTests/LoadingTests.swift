import Foundation
import JobFiles
import Testing

/// A directory of job files is one set whose files must agree.
@Suite struct Loading {
    /// Runs the body with a directory that holds the files, then removes it.
    private func withDirectory(
        _ files: [String: String], _ body: (String) throws -> Void
    ) throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "jobs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (name, text) in files {
            let file = directory.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try body(directory.path())
    }

    private func other(_ changes: KeyValuePairs<String, String> = [:]) throws -> String {
        try smallFile(changes).replacing("app.refresh", with: "app.status")
    }

    @Test func `the shipped directory loads`() throws {
        let jobs = try JobFile.load(directory: repository.appending(path: "jobs").path()).get()
        #expect(
            jobs.map(\.name) == [
                "luego.refresh", "metube.refresh", "metube.status", "metube.tokens",
                "metube.worker",
                "popcorn.cache", "popcorn.refresh",
                "snapchef.refresh", "sportstime.processing", "sportstime.refresh",
            ])
    }

    @Test
    func `a table that one entity sweeps is filled by no other, of this file or of another one`()
        throws
    {
        for (first, second, words) in [
            (
                smallFile,
                try other(["path: /feed": "path: /other", "mode: overwrite": "mode: replace_all"]),
                "this entity deletes"
            ),
            (
                try smallFile([
                    "mode: overwrite": "mode: overwrite, deletes: { sweep: after_full_pass }"
                ]), try other(["path: /feed": "path: /other"]),
                "deletes what its passes do not show"
            ),
        ] {
            try withDirectory(["a.yaml": first, "b.yaml": second]) { directory in
                let (jobs, mistakes) = JobFile.loadEach(directory: directory)
                #expect(jobs.map(\.name) == ["app.refresh"])
                #expect(mistakes.map(\.path) == ["entities[0].write.table"])
                #expect(mistakes.allSatisfy { $0.message.contains(words) }, "\(mistakes)")
            }
        }
    }

    @Test(arguments: [true, false])
    func
        `a secret that records bring is shown by no field of another file that reads the same ones`(
            isShownLater: Bool
        ) throws
    {
        let bringing = try smallFile([
            "changed_at: { at: changed, type: timestamp }":
                "changed_at: { at: changed, type: timestamp }\n      secrets: { token: { at: auth.token } }",
            "mode: overwrite": "mode: newest_wins, newer_by: changed_at",
        ])
        let showing = try other([
            "seq: { at: seq, type: int, required: true }": "body: { at: \"\", type: json }"
        ])
        .replacingOccurrences(of: "table: video", with: "table: whole")
        let names = isShownLater ? ["a.yaml", "b.yaml"] : ["b.yaml", "a.yaml"]
        try withDirectory([names[0]: bringing, names[1]: showing]) { directory in
            let (_, mistakes) = JobFile.loadEach(directory: directory)
            #expect(
                mistakes.map(\.path) == [
                    isShownLater ? "entities[0].records.fields.body" : "entities[0].records.secrets"
                ])
        }
        let elsewhere = showing.replacingOccurrences(of: "path: /feed", with: "path: /other")
        try withDirectory([names[0]: bringing, names[1]: elsewhere]) { directory in
            #expect(JobFile.loadEach(directory: directory).mistakes.isEmpty)
        }
    }

    @Test func `files are found below the directory in the order of their paths`() throws {
        let files = [
            "b/refresh.yaml": smallFile, "a/x/status.yaml": try other(), ".hidden/a.yaml": "x",
            "job.schema.json": "{}", "a/README": "x",
        ]
        try withDirectory(files) { directory in
            let jobs = try JobFile.load(directory: directory).get()
            #expect(jobs.map(\.name) == ["app.status", "app.refresh"])
        }
    }

    @Test func `a wrong file takes down itself and no other`() throws {
        let files = [
            "a/refresh.yaml": smallFile, "b/status.yaml": "version: 2",
            "c/twice.yaml": smallFile, "d/other.yaml": try other(),
        ]
        try withDirectory(files) { directory in
            let (jobs, mistakes) = JobFile.loadEach(directory: directory)
            #expect(jobs.map(\.name) == ["app.refresh", "app.status"])
            #expect(Set(mistakes.map { $0.file.suffix(13) }) == ["b/status.yaml", "/c/twice.yaml"])
        }
    }

    @Test(arguments: [
        ("{ p: \"{page.token}\" }", "does not say which order"),
        ("{ p: \"{page.token}\", ordering: \"-updated_at\" }", "\"-updated_at\" changes"),
        ("{ p: \"{page.token}\", sort: changed }", "\"changed\" changes"),
        ("{ p: \"{page.token}\", sort: id }", nil),
        ("{ p: \"{page.token}\", order_by: created_at }", nil),
    ]) func `a sweep over counted pages whose order may change is warned of`(
        _ query: String, _ words: String?
    ) throws {
        let sweeping = try smallFile([
            "path: /feed": "path: /feed\n      query: \(query)", "style: single": "style: page",
            "mode: overwrite": "mode: overwrite, deletes: { sweep: after_full_pass }",
        ])
        try withDirectory(["a.yaml": sweeping]) { directory in
            let warnings = try JobFileSet.load(directory: directory).get().warnings
            #expect(warnings.count == (words == nil ? 0 : 1))
            #expect(warnings.allSatisfy { $0.message.contains(words ?? "") }, "\(warnings)")
        }
        // A source that names its pages is not counted, but its page must be known to be full.
        for (size, count) in [("", 1), ("\n      size: 50", 0)] {
            let tokens = sweeping.replacing(
                "style: page", with: "style: token\n      token_at: next\(size)")
            try withDirectory(["a.yaml": tokens]) { directory in
                let warnings = try JobFileSet.load(directory: directory).get().warnings
                #expect(warnings.count == count)
                #expect(warnings.allSatisfy { $0.message.hasPrefix("page.size is missing") })
            }
        }
    }

    @Test(arguments: [("edition", 1), ("seq", 0)])
    func `a sweep over a list in the order of its versions is warned of`(
        _ order: String, _ count: Int
    ) throws {
        let sweeping = try smallFile([
            "path: /feed": "path: /feed\n      query: { sort: \(order), page: \"{page.token}\" }",
            "style: single": "style: page", "at: changed,": "at: edition, required: true,",
            "mode: overwrite":
                "mode: newest_wins, newer_by: changed_at, deletes: { sweep: after_full_pass }",
        ])
        try withDirectory(["a.yaml": sweeping]) { directory in
            let warnings = try JobFileSet.load(directory: directory).get().warnings
            #expect(warnings.count == count, "\(warnings)")
        }
    }

    @Test(arguments: [
        ("*", "{secret.token}", 1), ("*.hub.example", "{secret.token}", 0), ("*", "", 0),
    ])
    func `whoever may have secrets sent to any host is warned of`(
        _ host: String, _ secret: String, _ count: Int
    ) throws {
        let file = try smallFile([
            "source: { id: hub, base: \"https://hub.example\" }": """
            inputs: { name: {} }
            source:
              id: hub
              base: https://{user.name}.hub.example
              hosts: ["\(host)"]
              headers: { X-Token: "\(secret)" }
            """
        ])
        try withDirectory(["a.yaml": file]) { directory in
            let warnings = try JobFileSet.load(directory: directory).get().warnings
            #expect(warnings.count == count)
            #expect(warnings.allSatisfy { $0.path == "source.hosts" }, "\(warnings)")
        }
    }

    @Test func `mistakes of all files come together`() throws {
        let files = [
            "a.yaml": try smallFile(["every: 1h": "every: 1"]), "b.yaml": "version: 2\n",
            "c.yml": "",
        ]
        try withDirectory(files) { directory in
            guard case .failure(let mistakes) = JobFile.load(directory: directory) else {
                Issue.record("no mistake found")
                return
            }
            let names = mistakes.all.map { URL(filePath: $0.file).lastPathComponent }
            #expect(Set(names) == ["a.yaml", "b.yaml", "c.yml"])
            #expect(mistakes.all.count == 3)
        }
    }

    @Test func `two files may share a source and a table they agree on`() throws {
        let wider = try other([
            "id: { at: id,": "extra: { at: e, type: text }\n        id: { at: id,"
        ])
        try withDirectory(["a.yaml": smallFile, "b.yaml": wider]) { directory in
            let jobs = try JobFile.load(directory: directory).get()
            #expect(jobs.count == 2)
        }
    }

    @Test func `two files of one job are refused`() throws {
        try withDirectory(["a.yaml": smallFile, "b.yaml": smallFile]) { directory in
            let found = mistakes(directory)
            #expect(
                found.map(\.message) == [
                    "job \"app.refresh\" is defined by \(directory)/a.yaml too"
                ])
            #expect(found.map(\.line) == [2])
            #expect(found.allSatisfy { $0.file.hasSuffix("/b.yaml") && $0.path == "job" })
        }
    }

    @Test(arguments: [
        ("hub.example", "hub.test", "another base", "source.base"),
        ("id: hub,", "id: hub, timeout: 5s,", "another timeout", "source.timeout"),
        ("id: hub,", "id: hub, rate: { concurrent: 2 },", "another rate", "source.rate"),
        ("key: [id]", "key: [seq]", "another key", "entities[0].write.table"),
        (
            "at: changed, type: timestamp", "at: changed, type: text",
            "column \"video.changed_at\" is text here, but timestamp", "entities[0].write.table"
        ),
    ])
    func `two files that disagree are refused`(
        old: String, new: String, words: String, path: String
    )
        throws
    {
        try withDirectory(["a.yaml": smallFile, "b.yaml": try other([old: new])]) { directory in
            let found = mistakes(directory)
            #expect(found.count == 1)
            #expect(found.first?.message.contains(words) == true, "\(found)")
            #expect(found.first?.path == path)
        }
    }

    @Test func `what can't be read is said with its name`() throws {
        try withDirectory([:]) { directory in
            #expect(
                mistakes(directory).map(\.message) == [
                    "no job file here, expected <app>/<name>.yaml"
                ])
            let missing = mistakes(directory + "/missing")
            #expect(missing.map(\.message) == ["can't be read: No such file or directory"])
            guard case .failure(let none) = JobFile.load(files: [directory + "/none.yaml"]) else {
                Issue.record("no mistake found")
                return
            }
            #expect(
                none.description.hasSuffix(
                    "none.yaml:1:1: can't be read: No such file or directory"))
        }
    }

    @Test func `a huge file is refused without being read`() throws {
        let huge = String(repeating: "# padding\n", count: 200_000)
        try withDirectory(["a.yaml": huge]) { directory in
            #expect(mistakes(directory).map(\.message) == ["more than 1048576 bytes"])
        }
    }

    @Test func `a pipe named like a job file is told in one line and never waited for`() throws {
        try withDirectory(["a.yaml": smallFile]) { directory in
            let pipe = directory + "/b.yaml"
            try #require(mkfifo(pipe, 0o600) == 0)
            // Whoever waits for a writer all the same gets one that leaves at once.
            DispatchQueue.global().asyncAfter(deadline: .now() + 3) {
                close(open(pipe, O_WRONLY | O_NONBLOCK))
            }
            let found = mistakes(directory)
            #expect(found.map(\.message) == ["no regular file; reading it might never end"])
            #expect(found.allSatisfy { $0.file.hasSuffix("/b.yaml") })
        }
    }

    @Test
    func
        `a link out of the folder is told in one line that quotes nothing, one within is followed`()
        throws
    {
        try withDirectory(["secret": "password: hunter2", "jobs/..data/a.yaml": smallFile]) {
            outer in
            let directory = outer + "/jobs"
            let files = FileManager.default
            try files.createSymbolicLink(
                atPath: directory + "/a.yaml", withDestinationPath: "..data/a.yaml")
            #expect(try JobFile.load(directory: directory).get().count == 1)
            try files.createSymbolicLink(
                atPath: directory + "/b.yaml", withDestinationPath: "../secret")
            try files.createSymbolicLink(
                atPath: directory + "/c", withDestinationPath: "..")
            let found = mistakes(directory)
            let message = "a link that leads out of the folder; put the file itself here"
            #expect(found.map(\.message) == [message, message])
            #expect(Set(found.map { URL(filePath: $0.file).lastPathComponent }) == ["b.yaml", "c"])
        }
    }

    @Test(arguments: ["zzz", "s_"])
    func `thousands of keys cost no more than a moment, and are told in a few lines`(_ name: String)
        throws
    {
        let many = (0..<60_000).map { "\(name)\($0): 1" }
        let started = ContinuousClock.now
        let found = try messages(smallFile + "\n" + many.joined(separator: "\n"))
        #expect(found == ["more than 2000 entries in one mapping or list"])
        let fewer = try messages(smallFile + "\n" + many.prefix(1900).joined(separator: "\n"))
        #expect(fewer.count == 21)
        #expect(fewer.contains("1880 more unknown keys"))
        #expect(ContinuousClock.now - started < .seconds(60))
    }

    @Test(arguments: [
        "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "push_error", "hidden_at", "user_id",
        "inserted_at", "synced", "pending_delete", "sent_hashes", "push_pause", "unread_fields",
    ]) func `a column that is PostgreSQL's or the tables' own is refused in one line`(
        _ name: String
    )
        throws
    {
        let found = try messages(
            smallFile(["changed_at: {": "\(name): {"]))
        #expect(found.count == 1)
        #expect(found.first?.contains("\"\(name)\" is a") == true)
        #expect(found.first?.hasSuffix("use another name") == true)
    }

    @Test(arguments: [
        ("/feed\u{600}?key", "a path holds no ? or #; put parameters under query"),
        ("/feed?\u{301}key", "a path holds no ? or #; put parameters under query"),
        ("/é", "a path holds ASCII only; write other letters as %XX"),
    ]) func `a path is read byte by byte`(_ path: String, _ message: String) throws {
        #expect(try messages(smallFile(["path: /feed": "path: \"\(path)\""])) == [message])
    }

    private func mistakes(_ directory: String) -> [Mistake] {
        guard case .failure(let mistakes) = JobFile.load(directory: directory) else { return [] }
        return mistakes.all
    }
}
