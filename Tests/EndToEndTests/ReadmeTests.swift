import Foundation
import JSON
import Testing

@Suite struct ReadmeTests {
    @Test func `the first ten minutes go as their page says`() async throws {
        let readme = try Page("README.md")
        let steps = try Page("docs/operating/ten-minutes.md")
        try await Installation.with(migrated: false) { installation in
            // As docs/operating/install.md has an administrator make it.
            try await TestDatabase.makeScratch(beside: installation.url)
            let source = try await Source.start(["--users", "3"])
            defer { source.process.terminate() }
            var installation = installation
            installation.environment["JOBRUNNER_JOBS"] = installation.folder.path + "/own-jobs"
            let file = installation.folder.appendingPathComponent("own-jobs/demo/items.yaml")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let text = try #require(readme.blocks("yaml").first)
            try Data(text.replacing("http://127.0.0.1:8099", with: source.base).utf8).write(
                to: file)

            let checked = try await installation.run("validate \(file.path)")
            #expect(checked.code == 0, "\(checked.errors)")
            let lines = steps.blocks("sh").flatMap { $0.split(separator: "\n") }
                .filter { $0.hasPrefix("jobrunner ") }
            #expect(lines.count >= 9)
            for line in lines {
                let ran = try await installation.run(String(line.dropFirst("jobrunner ".count)))
                #expect(ran.code == 0, "\(line): \(ran.errors)")
            }
            let count = try await installation.value("select count(*) from synced.demo_item")
            #expect(steps.text.contains("fetched=\(count) changed=\(count)"))
            // What Install has an administrator make, `Tests/Install/run` makes.
            for page in try Page.manual() where page.name != "docs/operating/install.md" {
                try await runStatements(of: page, in: installation)
            }
        }
    }

    /// Each block of SQL of a page, in the database that the first ten minutes made; nothing stays.
    private func runStatements(of page: Page, in installation: Installation) async throws {
        for block in page.blocks("sql") {
            await #expect(throws: Never.self, "\(page.name): \(block)") {
                try await installation.script("begin; \(block); rollback")
            }
        }
    }

    @Test func `a developer's day goes as its page says, and ends with a receipt`() async throws {
        let page = try Page("docs/APPLICATIONS.md")
        try await Installation.with(migrated: false) { installation in
            var installation = installation
            installation.environment["JOBRUNNER_JOBS"] = packageFolder.appending(path: "jobs").path
            try await installation.ok("migrate")
            try await installation.ok(
                "tenant add acme --job metube.refresh --job metube.status")
            let blocks = page.blocks("sql")
            // By the login of the application, which has no other right.
            try await Login.with(of: installation.url) { login in
                try await installation.ok("application add \(login.name) --tenant acme")
                for block in blocks {
                    await #expect(throws: Never.self, "\(block)") { try await login.script(block) }
                }
                try await installation.ok("application remove \(login.name)")
            }
            #expect(blocks.count >= 8)
            let users = "select string_agg(key, ' ' order by key) from jobrunner.users"
            #expect(try await installation.value(users + " where not stands_for_tenant") == "bob")
            #expect(
                try await installation.value(
                    "select detail ->> 'jobs' from jobrunner.audit where verb = 'remove_user'")
                    == "2")
        }
    }

    @Test(arguments: try Page.all())
    func `every command and option that a page shows exists`(page: Page) async throws {
        for shown in page.commands {
            let help = try await RunningProgram(["help"] + shown.words, environment: [:]).end()
            let command = shown.words.joined(separator: " ")
            #expect(help.code == 0, "\(page.name): jobrunner \(command)")
            for option in shown.options where option != "--help" {
                #expect(
                    help.output.contains("\(option) ") || help.output.contains("\(option)]"),
                    "\(page.name): jobrunner \(command) has no \(option)")
            }
        }
    }

    @Test(arguments: try Page.all())
    func `every link of a page leads somewhere`(page: Page) throws {
        for match in page.text.matches(of: /\]\(([^)\s]+)\)/) {
            let parts = match.1.split(separator: "#", omittingEmptySubsequences: false)
            guard let path = parts.first, !path.contains("://") else { continue }
            let target =
                path.isEmpty
                ? page.url : page.url.deletingLastPathComponent().appending(path: String(path))
            #expect(FileManager.default.fileExists(atPath: target.path), "\(match.1)")
            guard parts.count == 2, target.pathExtension == "md" else { continue }
            let headings = try headings(of: target)
            #expect(headings.contains(String(parts[1])), "\(match.1)")
        }
    }

    @Test(arguments: try Page.all())
    func `every file that a page names exists`(page: Page) {
        for match in page.text.matches(
            of: /`((?:bin|docs|jobs|sql|Sources|Tests)\/[A-Za-z0-9_.+\/-]+)[^`]*`/)
        {
            let path = packageFolder.appending(path: String(match.1)).path
            #expect(FileManager.default.fileExists(atPath: path), "\(page.name): \(match.1)")
        }
    }

    @Test(arguments: try Page.all())
    func `every test that a page cites exists`(page: Page) throws {
        let tests = try swiftFiles(below: "Tests").map {
            try String(contentsOf: $0, encoding: .utf8)
        }.joined()
        for match in page.text.matches(of: /“([^”]+)”/) {
            let name = match.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(tests.contains("func `\(name)`"), "\(name)")
        }
    }
}

/// A page of documentation.
struct Page: CustomTestStringConvertible {
    /// A command as a page shows it.
    struct Shown: Hashable {
        let words: [String]
        let options: [String]
    }

    let name: String
    let url: URL
    let text: String

    init(_ name: String) throws {
        self.name = name
        url = packageFolder.appending(path: name)
        text = try String(contentsOf: url, encoding: .utf8)
    }

    static func all() throws -> [Page] {
        try ["README.md", "CHANGELOG.md", "docs/APPLICATIONS.md", "docs/ARCHITECTURE.md"].map {
            try Page($0)
        } + manual()
            + pages(of: "docs/decisions")
    }

    /// The pages of the manual for operators.
    static func manual() throws -> [Page] { try pages(of: "docs/operating") }

    private static func pages(of folder: String) throws -> [Page] {
        try FileManager.default.contentsOfDirectory(
            atPath: packageFolder.appending(path: folder).path
        )
        .filter { $0.hasSuffix(".md") }.sorted().map { try Page("\(folder)/\($0)") }
    }

    var testDescription: String { name }

    /// What stands in fences of a language.
    func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    /// `jobrunner …` wherever a command line stands: in backticks, after a prompt, or in a script.
    var commands: Set<Shown> {
        let inline = text.matches(of: /(?:`|\$ )jobrunner ([a-z][^`\n]*)/).map { String($0.1) }
        let scripts = blocks("sh").flatMap { $0.split(separator: "\n") }
            .compactMap { $0.wholeMatch(of: #/ *jobrunner (.+)/#).map { String($0.1) } }
        let lines = inline + scripts
        return Set(
            lines.map { line in
                let words = line.split(separator: " ").map(String.init).drop { $0 == "help" }
                let isGroup = ["application", "key", "person", "tenant", "user"].contains(
                    words.first)
                return Shown(
                    words: Array(words.prefix(isGroup ? 2 : 1)),
                    options: words.filter { $0.hasPrefix("--") })
            })
    }
}

/// A fake source of a test's own.
private struct Source {
    let process: Process
    let base: String

    static func start(_ arguments: [String]) async throws -> Source {
        let process = Process()
        let output = Pipe()
        process.executableURL = programURL.deletingLastPathComponent()
            .appendingPathComponent("fake-source")
        process.arguments = ["--listen", "127.0.0.1:0"] + arguments
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let base = try #require(line.firstMatch(of: /http:\S+/)).0
        return Source(process: process, base: String(base))
    }
}

/// The anchors of a page's headings, as the forges make them.
private func headings(of page: URL) throws -> [String] {
    try String(contentsOf: page, encoding: .utf8).matches(of: /(?m)^#+ (.+)$/).map { match in
        String(
            match.1.lowercased().replacing(" ", with: "-")
                .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }
}

private func swiftFiles(below folder: String) throws -> [URL] {
    let root = packageFolder.appending(path: folder)
    return try FileManager.default.subpathsOfDirectory(atPath: root.path)
        .filter { $0.hasSuffix(".swift") }.map { root.appending(path: $0) }
}
