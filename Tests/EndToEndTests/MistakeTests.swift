import Foundation
import TestJobFiles
import Testing

/// Command lines that are wrong, with what a script and a person learn of each.
private let mistakes: [(line: String, code: Int32, words: String)] = [
    ("", 64, "no command"),
    ("wroker", 64, "did you mean worker?"),
    ("∅", 64, "unknown command \"\""),
    ("--json status", 64, "before a command"),
    ("tenant", 64, "expects add, list"),
    ("tenant ad acme", 64, "did you mean add?"),
    ("user frob", 64, "unknown command \"frob\""),
    ("help wroker", 64, "did you mean worker?"),
    ("completion", 64, "expects bash or zsh"),
    ("completion fish", 64, "expected bash or zsh"),
    ("completion bash now", 64, "unexpected argument"),
    ("man runs", 64, "unexpected argument"),
    ("migrate now", 64, "unexpected argument \"now\""),
    ("migrate --json", 64, "unknown option"),
    ("validate --jason", 64, "did you mean --json?"),
    ("validate ∅", 64, "FILE is empty"),
    ("validate nowhere.yaml", 66, "nowhere.yaml:1:1: can't be read"),
    ("validate /", 66, "can't be read"),
    ("validate --against", 64, "--against PATH"),
    ("validate --against nowhere", 66, "nowhere:1:1: can't be read"),
    ("doctor --merge=all", 64, "takes no value"),
    ("worker --concurrency 0", 64, "from 1 to 10000"),
    ("worker --drain=yes", 64, "takes no value"),
    ("worker now", 64, "unexpected argument"),
    ("doctor acme", 64, "unexpected argument"),
    ("tenant add", 64, "NAME is missing"),
    ("tenant add ∅", 64, "NAME is empty"),
    ("tenant add a⏎b", 64, "control character"),
    ("tenant add a b", 64, "one argument too many"),
    ("tenant add b --weight 0", 64, "from 1 to 1000"),
    ("tenant add b --weight 1001", 64, "from 1 to 1000"),
    ("tenant add b --weight 1 --weight 2", 64, "given twice"),
    ("tenant add b --max-running -1", 64, "from 1 to"),
    ("tenant add b --source shop", 64, "id=https://host"),
    ("tenant add b --source shop=ftp://x", 64, "id=https://host"),
    ("tenant add b --secret api=hunter2", 64, "never the secret itself"),
    ("tenant add acme", 65, "exists already"),
    ("tenant add Big", 65, "a tenant's name is"),
    ("tenant add b --job shop.order", 65, "no job file is named 'shop.order'. Stored are"),
    ("tenant add b --source shop=https://x", 65, "uses a source 'shop'"),
    ("tenant add b --job shop.orders --source shop=https://u:p@x", 65, "a source's address is"),
    ("tenant add b --secret api=@nowhere", 66, "nowhere: No such file"),
    ("tenant add b --origin https://a.example --secret 9=@@key", 65, "a secret's name is"),
    ("tenant set acme", 64, "nothing to change"),
    ("tenant set nobody --weight 2", 65, "no tenant is named 'nobody'"),
    ("tenant set acme --max-running 3 --unlimited", 64, "exclude each other"),
    ("tenant set acme --job nope", 65, "no job file is named 'nope'"),
    ("tenant list acme", 64, "unexpected argument"),
    ("pause --tenant acme", 64, "--user KEY or --all is missing"),
    ("pause --tenant acme --user ann --all", 64, "exclude each other"),
    ("pause --tenant nobody --all", 65, "no tenant is named 'nobody'"),
    ("resume --tenant nobody --all", 65, "no tenant is named 'nobody'"),
    ("tenant remove nobody --yes", 65, "no tenant is named 'nobody'"),
    ("tenant remove acme", 64, "tenant acme with its users, secrets and synced data"),
    ("tenant remove acme", 64, "needs --yes"),
    ("tenant remove acme --yse", 64, "did you mean --yes?"),
    ("tenant set acme --take-job shop.orders --with-rows", 64, "needs --yes"),
    ("tenant set acme --yes", 64, "nothing to change"),
    ("user add", 64, "KEY is missing"),
    ("user add bob", 64, "--tenant T is missing"),
    ("user add bob --tenant nobody", 65, "no tenant is named 'nobody'"),
    ("user add ann --tenant acme", 65, "has a user 'ann' already"),
    ("user add bob --tenant acme --set region", 64, "name=value"),
    ("user add bob --tenant acme --set =eu", 64, "name=value"),
    ("user add bob --tenant acme --set a=1 --set a=2", 64, "given twice"),
    ("user add bob --tenant acme --secret token=hunter2", 64, "never the secret itself"),
    ("user add bob --tenant acme --secret hunter2", 64, "name=@FILE or name=-"),
    ("user add bob --tenant acme --secret token=- hunter2", 64, "one argument too many"),
    ("user add bob --tenant acme --secret a=- --secret b=-", 64, "reads standard input"),
    ("user add bob --tenant acme --secret token=-", 65, "standard input is empty"),
    ("user add bob --tenant acme --secret token=@nowhere", 66, "nowhere: No such file"),
    ("user add bob --tenant acme --secret token=@/", 66, "Is a directory"),
    (
        "user add bob --tenant acme --secret Token=@@key --origin https://a.example", 65,
        "a secret's name is"
    ),
    ("user add bob --tenant acme --list store_ids=1,2", 64, "name=@FILE"),
    ("user add bob --tenant acme --list store_ids=@nowhere", 66, "nowhere: No such file"),
    ("user add bob --tenant acme --list store_ids=@/dev/zero", 65, "larger than"),
    ("user add bob --tenant acme --list stores=@@key", 65, "declares a list \"stores\""),
    ("user set ann --tenant acme", 64, "nothing to change"),
    ("user set bob --tenant acme --set a=b", 65, "has no user 'bob'"),
    ("user list --limit 0", 64, "from 1 to"),
    ("user list --tenant nobody", 65, "no tenant is named 'nobody'"),
    ("pause --user bob --tenant acme", 65, "has no user 'bob'"),
    ("resume --user bob --tenant acme", 65, "has no user 'bob'"),
    ("user remove ann --tenant acme", 64, "needs --yes"),
    ("user remove bob --tenant acme --yes", 65, "has no user 'bob'"),
    ("user export", 64, "KEY is missing"),
    ("user export ann", 64, "--tenant T is missing"),
    ("user export bob --tenant acme", 65, "has no user 'bob'"),
    ("user remove ann --tenant acme --jsn", 64, "did you mean --json?"),
    ("application add", 64, "LOGIN is missing"),
    ("application add nobody_at_all", 64, "--tenant T is missing"),
    ("application add nobody_at_all --tenant acme", 65, "the server has no role 'nobody_at_all'"),
    ("application add jobrunner --tenant acme", 65, "and so every tenant's"),
    ("application add jobrunner_serve --tenant nobody", 65, "no tenant is named 'nobody'"),
    ("application remove jobrunner_serve", 65, "'jobrunner_serve' is no application"),
    ("application list --tenant nobody", 65, "no tenant is named 'nobody'"),
    ("enqueue --tenant acme --all", 64, "JOB is missing"),
    ("enqueue shop.orders --all", 64, "--tenant T is missing"),
    ("enqueue shop.orders --tenant acme", 64, "--user KEY or --all is missing"),
    ("enqueue shop.orders --tenant acme --user ann --all", 64, "exclude each other"),
    ("enqueue shop.order --tenant acme --user ann", 65, "Its jobs are shop.orders, shop.status"),
    ("enqueue shop.orders --tenant nobody --all", 65, "no tenant is named 'nobody'"),
    ("enqueue shop.orders --tenant acme --user bob", 65, "has no user 'bob'"),
    ("enqueue shop.orders --tenant acme --user ann --entity orders", 65, "no entity 'orders'"),
    ("enqueue shop.orders --tenant acme --all --entity orders --wait", 65, "no entity 'orders'"),
    ("enqueue shop.order --tenant acme", 64, "--user KEY or --all is missing"),
    ("enqueue shop.orders --tenant acme --user *", 65, "has no user '*'"),
    ("fresh", 64, "JOB is missing"),
    ("fresh shop.orders", 64, "--tenant T is missing"),
    ("fresh shop.orders --tenant acme", 64, "--user KEY is missing"),
    ("fresh shop.orders --tenant acme --all", 64, "unknown option"),
    ("fresh shop.order --tenant acme --user ann", 65, "has no job 'shop.order'"),
    ("fresh shop.orders --tenant acme --user bob", 65, "has no user 'bob'"),
    ("dry-run", 64, "JOB is missing"),
    ("dry-run shop.orders", 64, "--tenant T is missing"),
    ("dry-run shop.orders --tenant acme", 64, "--user KEY is missing"),
    ("dry-run shop.orders --tenant acme --user ann --pages 0", 64, "from 1 to 1000"),
    ("dry-run shop.order --tenant acme --user ann", 65, "has no job 'shop.order'"),
    ("dry-run shop.orders --tenant acme --user bob", 65, "has no user 'bob'"),
    ("dry-run shop.orders --tenant acme --user ann --entity ordr", 65, "did you mean order?"),
    ("trigger", 64, "EVENT is missing"),
    ("trigger network_restored", 64, "--tenant T is missing"),
    ("trigger online --tenant nobody", 65, "no tenant is named 'nobody'"),
    ("trigger online --tenant acme", 65, "no event makes tenant acme's own jobs due"),
    ("trigger online --tenant acme --user ann", 65, "no event makes jobs of tenant acme's users"),
    ("repair shop.orders --tenant acme", 64, "--user KEY or --all is missing"),
    ("repair --tenant acme --all", 64, "JOB is missing"),
    ("repair nope --tenant acme --all", 65, "has no job 'nope'"),
    ("repair shop.orders --tenant acme --user bob", 65, "has no user 'bob'"),
    ("repair shop.orders --tenant acme --user ann --entity order", 64, "unknown option"),
    ("status --user ann", 64, "--user needs --tenant"),
    ("status --watch --json", 64, "exclude each other"),
    ("status --watch", 64, "needs a terminal"),
    ("status --tenant nobody", 65, "no tenant is named 'nobody'"),
    ("status --tenant acme --user bob", 65, "has no user 'bob'"),
    ("status --job shop.order", 65, "no job file is named 'shop.order'"),
    ("explain", 64, "JOB|FILE is missing"),
    ("explain shop.orders", 66, "needs --tenant T, and --user KEY where it is a user's"),
    ("explain shop.orders --tenant acme", 64, "--user KEY is missing"),
    ("explain shop.orders --user ann", 64, "--user needs --tenant"),
    ("explain shop.order --tenant acme --user ann", 65, "has no job 'shop.order'"),
    ("runs shop.orders shop.status", 64, "unexpected argument"),
    ("runs 8001", 65, "the history has no run 8001"),
    ("runs 8001 --follow", 64, "run 8001 is one run; --follow chooses among many"),
    ("runs 99999999999999999999", 64, "expected a number up to"),
    ("runs --follow --limit 5", 64, "exclude each other"),
    ("runs --follow --tenant nobody", 65, "no tenant is named 'nobody'"),
    ("runs --outcome good", 64, "expected complete, partial"),
    ("runs --since 5", 64, "a duration like"),
    ("runs --limit 100000", 64, "from 1 to 10000"),
    ("runs nope", 65, "no job file is named 'nope'"),
    ("runs --tenant nobody", 65, "no tenant is named 'nobody'"),
    ("audit --user ann", 64, "--user needs --tenant"),
    ("audit shop.orders", 64, "unexpected argument"),
    ("audit --limit 0", 64, "from 1 to 10000"),
    ("audit --since 5", 64, "a duration like"),
    ("audit --tenant nobody", 65, "no tenant is named 'nobody'"),
    ("audit --tenant acme --user bob", 65, "has no user 'bob'"),
    ("cancel shop.orders --tenant acme", 64, "--user KEY or --all is missing"),
    ("cancel nope --tenant acme --all", 65, "has no job 'nope'"),
    ("retry shop.orders --tenant acme --user bob", 65, "has no user 'bob'"),
    ("retry", 64, "JOB is missing"),
    ("pause shop.orders --all", 64, "--tenant T is missing"),
    ("pause nope --tenant acme --user ann", 65, "has no job 'nope'"),
    ("resume shop.orders --tenant nobody --all", 65, "no tenant is named 'nobody'"),
    ("reset shop.orders --tenant acme --user ann --entity ordr", 65, "did you mean order?"),
    ("reset shop.orders --tenant acme --user ann --full", 64, "unknown option"),
]

/// What every command refuses in the same way, however it goes on.
private let everyCommand = [
    "migrate", "validate", "doctor", "tenant add x", "tenant set x", "tenant list",
    "tenant remove x", "user add x", "user set x", "user list",
    "user remove x", "user export x", "application add x", "application list",
    "application remove x", "worker", "enqueue x", "status", "explain x",
    "runs x", "audit", "cancel x", "retry x", "pause x", "resume x", "reset x", "repair x",
    "fresh x", "trigger x", "dry-run x", "completion bash", "completion zsh", "man",
]

private let alwaysWrong = ["--xyzzy", "-x", "--=1", "--tenant=", "--tenant⏎=1", "--xyzzy=⏎", "---"]

@Suite struct MistakeTests {
    @Test func `a mistake is one line and a code, and changes nothing`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            let before = try await installation.fingerprint()
            for mistake in mistakes {
                let ran = try await installation.run(mistake.line)
                let line = mistake.line
                #expect(ran.code == mistake.code, "\(line): \(ran.errors)")
                #expect(ran.errorLines.count == 1, "\(line): \(ran.errors)")
                #expect(ran.errors.contains(mistake.words), "\(line): \(ran.errors)")
                #expect(ran.output == "", "\(line)")
                #expect(!ran.errors.contains("hunter2"), "\(line)")
            }
            #expect(try await installation.fingerprint() == before)
        }
    }

    @Test(arguments: everyCommand)
    func `what no command knows is refused before the database is asked`(command: String)
        async throws
    {
        for wrong in alwaysWrong {
            let ran = try await RunningProgram(
                words("\(command) \(wrong)"),
                environment: ["DATABASE_URL": "postgres://127.0.0.1:1/none"]
            ).end()
            #expect(ran.code == 64, "\(command) \(wrong): \(ran.errors)")
            #expect(ran.errorLines.count == 1, "\(command) \(wrong): \(ran.errors)")
            #expect(ran.output == "")
        }
    }

    @Test func `every mistake of a malformed job file is a line, and migrate changes nothing`()
        async throws
    {
        let files = try JobFileCase.all().filter { $0.hasPlaces && $0.verdict != .good }
            .map { (name: $0.description.replacing(" ", with: "-") + ".yaml", case: $0) }
            .sorted { $0.name < $1.name }
        #expect(files.count >= 100)
        try await Installation.with { installation in
            let before = try await installation.fingerprint()
            let folder = installation.folder.appendingPathComponent("bad")
            let jobs = folder.path
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            var all: [String] = []
            for (name, wrong) in files {
                let file = "\(jobs)/\(name)"
                try Data(wrong.text).write(to: URL(fileURLWithPath: file))
                let validated = try await installation.run("validate \(file)")
                #expect(validated.code == 65, "\(name): \(validated.errors)")
                #expect(validated.output == "")
                #expect(validated.errorLines.count == wrong.mistakes.count, "\(validated.errors)")
                #expect(validated.errorLines.allSatisfy { $0.hasPrefix(file + ":") })
                all += validated.errorLines
            }
            let migrated = try await installation.run("migrate", ["JOBRUNNER_JOBS": jobs])
            #expect(migrated.code == 65)
            #expect(migrated.errorLines == all.map { "jobrunner migrate: " + $0 })
            #expect(try await installation.fingerprint() == before)
        }
    }

    @Test func `a folder without job files is no set of job files`() async throws {
        try await Installation.with { installation in
            let missing = try await installation.run("migrate", ["JOBRUNNER_JOBS": "/nowhere"])
            #expect(missing.code == 66)
            #expect(missing.errors.contains("/nowhere:1:1: can't be read"))
            let empty = installation.folder.appendingPathComponent("empty")
            try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
            let none = try await installation.run("validate", ["JOBRUNNER_JOBS": empty.path])
            #expect(none.code == 65)
            #expect(none.errorLines.count == 1)
        }
    }

    @Test(
        arguments: [
            ("postgres://jr:sesame@127.0.0.1:1/none", 69), ("port=1 host=127.0.0.1", 69),
            ("postgres://jr:sesame@[::1", 78), ("mysql://jr:sesame@127.0.0.1/x", 78),
            ("host=127.0.0.1 pasword=sesame", 78), ("postgres://jr:sesame@127.0.0.1:port/x", 69),
        ] as [(String, Int32)])
    func `a database that can't be reached is one line without the password`(
        url: String, code: Int32
    ) async throws {
        try await Installation.with(migrated: false) { installation in
            let ran = try await installation.run("status", ["DATABASE_URL": url])
            #expect(ran.code == code, "\(ran.errors)")
            #expect(ran.errorLines.count == 1)
            #expect(!(ran.errors + ran.output).contains("sesame"))
        }
    }

    @Test func `a wrong role or database is unavailable at once`() async throws {
        try await Installation.with(migrated: false) { installation in
            let url = installation.url.replacing("jobrunner@", with: "nobody:sesame@")
            let role = try await installation.run("status", ["DATABASE_URL": url])
            #expect(role.code == 69, "\(role.errors)")
            #expect(role.errors.contains("role \"nobody\" does not exist"))
            #expect(!role.errors.contains("sesame"))
            let database = try await installation.run(
                "status", ["DATABASE_URL": installation.url + "_missing"])
            #expect(database.code == 69, "\(database.errors)")
        }
    }

    @Test func `a database without the schema is a configuration that says what to run`()
        async throws
    {
        try await Installation.with(migrated: false) { installation in
            for line in ["status", "tenant list", "enqueue j --tenant t --all", "runs"] {
                let ran = try await installation.run(line)
                #expect(ran.code == 78, "\(line): \(ran.errors)")
                #expect(ran.errorLines.count == 1)
                #expect(ran.errors.hasSuffix("run jobrunner migrate\n"), "\(line): \(ran.errors)")
            }
        }
    }

    @Test(arguments: [("JOBRUNNER_LOG", "xml"), ("JOBRUNNER_LOG_LEVEL", "loud")])
    func `a wrong log setting is a configuration`(name: String, value: String) async throws {
        try await Installation.with(migrated: false) { installation in
            let ran = try await installation.run("validate", [name: value])
            #expect(ran.code == 78)
            #expect(ran.errors.contains("\(name) is \"\(value)\"; expected "))
            #expect(ran.errorLines.count == 1)
        }
    }

    @Test func `a reader that goes away is no error`() async throws {
        try await Installation.with { installation in
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = [
                "-c", "(\"$1\" help; echo $? > \"$2\") | true", "sh", programURL.path,
                installation.folder.path + "/code",
            ]
            shell.environment = installation.environment
            let ended = AsyncStream.makeStream(of: Void.self)
            shell.terminationHandler = { _ in ended.continuation.finish() }
            try shell.run()
            for await _ in ended.stream {}
            let code = try String(
                contentsOfFile: installation.folder.path + "/code", encoding: .utf8)
            #expect(code == "0\n")
        }
    }
}
