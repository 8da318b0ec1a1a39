import Testing

@testable import Commands

/// Splits at spaces; `␣` stands for a space within an argument and `∅` for an empty one.
func words(_ line: String) -> [String] {
    line.split(separator: " ").map { word in
        String(word).replacing("␣", with: " ").replacing("∅", with: "").replacing("⏎", with: "\n")
    }
}

private func parsed(_ line: String) throws -> ParsedArguments {
    guard case .command(let arguments) = try parse(words(line), allCommands) else {
        throw UsageError(command: "", message: "help was asked for")
    }
    return arguments
}

private let mistakes: [(String, String)] = [
    ("", "jobrunner: no command; jobrunner --help lists them"),
    ("wroker", "jobrunner: unknown command \"wroker\"; did you mean worker?"),
    ("stat", "jobrunner: unknown command \"stat\"; did you mean status?"),
    ("frobnicate", "jobrunner: unknown command \"frobnicate\"; jobrunner --help lists them"),
    ("∅", "jobrunner: unknown command \"\"; jobrunner --help lists them"),
    ("Worker", "jobrunner: unknown command \"Worker\"; did you mean worker?"),
    (
        "a\u{1b}[31m⏎b",
        "jobrunner: unknown command \"a\\u001b[31m\\nb\"; jobrunner --help lists them"
    ),
    (
        "--json status",
        "jobrunner: unknown option \"--json\" before a command; jobrunner --help lists the commands"
    ),
    (
        "-- worker",
        "jobrunner: unknown option \"--\" before a command; jobrunner --help lists the commands"
    ),
    ("tenant", "jobrunner tenant: expects add, list, set or remove"),
    ("tenant --job a", "jobrunner tenant: expects add, list, set or remove"),
    (
        "tenant ad acme",
        "jobrunner tenant: unknown command \"ad\"; expected add, list, set or remove"
            + "; did you mean add?"
    ),
    (
        "user frob",
        "jobrunner user: unknown command \"frob\"; expected add, import, set, list, export or remove"
    ),
    ("help wroker", "jobrunner: unknown command \"wroker\"; did you mean worker?"),
    ("help tenant lsit", "jobrunner help: tenant has no command \"lsit\"; did you mean list?"),
    ("help worker now", "jobrunner help: worker has no command \"now\""),
    ("tenant add", "jobrunner tenant add: NAME is missing"),
    ("tenant add ∅", "jobrunner tenant add: NAME is empty"),
    ("tenant add a⏎b", "jobrunner tenant add: NAME holds a control character"),
    ("tenant add a b", "jobrunner tenant add: one argument too many; expected NAME"),
    ("migrate now", "jobrunner migrate: unexpected argument \"now\"; expected none"),
    (
        "worker --concurency 5",
        "jobrunner worker: unknown option \"--concurency\"; did you mean --concurrency?"
    ),
    ("worker --conc 5", "jobrunner worker: unknown option \"--conc\"; did you mean --concurrency?"),
    ("worker --darin", "jobrunner worker: unknown option \"--darin\"; did you mean --drain?"),
    (
        "worker --xyzzy",
        "jobrunner worker: unknown option \"--xyzzy\"; jobrunner help worker lists them"
    ),
    ("worker -drain", "jobrunner worker: unknown option \"-drain\"; did you mean --drain?"),
    ("worker -x", "jobrunner worker: unknown option \"-x\"; jobrunner help worker lists them"),
    ("worker --=5", "jobrunner worker: unknown option \"--\"; jobrunner help worker lists them"),
    ("worker --drain=yes", "jobrunner worker: --drain takes no value"),
    ("worker --concurrency", "jobrunner worker: --concurrency needs a value: --concurrency N"),
    (
        "worker --concurrency --drain",
        "jobrunner worker: --concurrency needs a value: --concurrency N"
    ),
    ("worker --concurrency=", "jobrunner worker: --concurrency is empty"),
    (
        "worker --concurrency many",
        "jobrunner worker: --concurrency is \"many\"; expected a whole number from 1 to 10000"
    ),
    (
        "worker --concurrency 0",
        "jobrunner worker: --concurrency is \"0\"; expected a whole number from 1 to 10000"
    ),
    (
        "worker --concurrency -1",
        "jobrunner worker: --concurrency is \"-1\"; expected a whole number from 1 to 10000"
    ),
    (
        "worker --concurrency +5",
        "jobrunner worker: --concurrency is \"+5\"; expected a whole number from 1 to 10000"
    ),
    (
        "worker --concurrency 1e3",
        "jobrunner worker: --concurrency is \"1e3\"; expected a whole number from 1 to 10000"
    ),
    (
        "worker --concurrency 99999999999999999999",
        "jobrunner worker: --concurrency is \"99999999999999999999\"; expected a whole number"
            + " from 1 to 10000"
    ),
    ("worker --concurrency 5 --concurrency 6", "jobrunner worker: --concurrency is given twice"),
    ("enqueue --tenant t --all", "jobrunner enqueue: JOB is missing"),
    ("enqueue j --all", "jobrunner enqueue: --tenant T is missing"),
    (
        "enqueue j --tenant t --user u --all",
        "jobrunner enqueue: --user and --all exclude each other"
    ),
    ("enqueue j --tenant=∅ --all", "jobrunner enqueue: --tenant is empty"),
    ("enqueue j k --tenant t --all", "jobrunner enqueue: unexpected argument \"k\"; expected JOB"),
    ("enqueue j -- --all", "jobrunner enqueue: unexpected argument \"--all\"; expected JOB"),
    ("status --user u", "jobrunner status: --user needs --tenant"),
    ("explain j --user u", "jobrunner explain: --user needs --tenant"),
    (
        "runs --outcome faild",
        "jobrunner runs: --outcome is \"faild\"; expected complete, partial, deferred, skipped,"
            + " needs_reauth or failed; did you mean failed?"
    ),
    (
        "runs --outcome good",
        "jobrunner runs: --outcome is \"good\"; expected complete, partial, deferred, skipped,"
            + " needs_reauth or failed"
    ),
    (
        "runs --since 5",
        "jobrunner runs: --since is \"5\"; expected a duration like 90s, 5m, 1h30m or 2d"
    ),
    ("tenant add a --source hub", "jobrunner tenant add: --source expects id=https://host"),
    (
        "tenant add a --source hub=ftp://x",
        "jobrunner tenant add: --source \"hub\" expects id=https://host"
    ),
    (
        "tenant add a --source hub=https://x --source hub=https://y",
        "jobrunner tenant add: --source \"hub\" is given twice"
    ),
    ("user add u --tenant t --set name", "jobrunner user add: --set expects name=value"),
    ("user add u --tenant t --set =v", "jobrunner user add: --set expects name=value"),
    ("user add u --tenant t --list a=b", "jobrunner user add: --list \"a\" expects name=@FILE"),
    ("user add u --tenant t --list a=@", "jobrunner user add: --list \"a\" expects name=@FILE"),
    (
        "user add u --tenant t --secret token=hunter2",
        "jobrunner user add: --secret \"token\" expects name=@FILE or name=-, never the secret itself"
    ),
    (
        "user add u --tenant t --secret hunter2",
        "jobrunner user add: --secret expects name=@FILE or name=-"
    ),
    (
        "user add u --tenant t --secrt token=hunter2",
        "jobrunner user add: unknown option \"--secrt\"; did you mean --secret?"
    ),
    (
        "user add u --tenant t --secret token=- hunter2",
        "jobrunner user add: one argument too many; expected KEY"
    ),
    (
        "user add u --tenant t --secret a=- --secret b=-",
        "jobrunner user add: --secret \"b\" reads standard input, as an earlier one does;"
            + " expected name=@FILE"
    ),
    ("user add u --tenant t --set=a=1 --set=a=2", "jobrunner user add: --set \"a\" is given twice"),
]

@Suite struct ArgumentTests {
    @Test(arguments: mistakes)
    func `a mistake is one line that says what would be right`(line: String, message: String) {
        do {
            _ = try parse(words(line), allCommands)
            Issue.record("\(line) was accepted")
        } catch {
            #expect(error.description == message)
            #expect(error.exitCode.rawValue == 64)
            #expect(!error.description.contains("\n"))
            #expect(!error.description.contains("hunter2"))
        }
    }

    @Test func `no command line whatever traps the parser, and every mistake is one line`() {
        let names = allCommands.flatMap { $0.words + $0.options.map { "--" + $0.name } }
        let odd = [
            "", "-", "--", "=", "--=", "--tenant=", "a=@b", "a=-", "-1", "5", "\n", "é", "@",
        ]
        var state: UInt64 = 42
        func pick(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        var accepted = 0
        for _ in 0..<20_000 {
            let start = allCommands[pick(allCommands.count)].words
            let rest = (0..<pick(6)).map { _ in (names + odd)[pick(names.count + odd.count)] }
            do {
                _ = try parse((pick(10) == 0 ? [] : start) + rest, allCommands)
                accepted += 1
            } catch {
                #expect(!error.description.utf8.contains { $0 < 0x20 })
            }
        }
        #expect(accepted > 100)
    }

    @Test func `options stand anywhere, with their values after a space or an equals sign`() throws
    {
        for line in [
            "enqueue --tenant t j --user=u --full", "enqueue j --tenant=t --user u --full",
            "enqueue --full --tenant t --user u -- j",
        ] {
            let arguments = try parsed(line)
            #expect(arguments.command.name == "enqueue")
            #expect(arguments.subject == "j")
            #expect(arguments.required("tenant") == "t")
            #expect(arguments.text("user") == "u")
            #expect(arguments.has("full"))
            #expect(!arguments.has("wait"))
            #expect(arguments.text("entity") == nil)
        }
    }

    @Test func `values come typed`() throws {
        #expect(try parsed("worker --concurrency 50").integer("concurrency") == 50)
        #expect(try parsed("runs --since 1h30m").duration("since") == .seconds(5400))
        #expect(try parsed("validate a b c").positionals == ["a", "b", "c"])
        #expect(try parsed("validate").positionals == [])
        #expect(try parsed("tenant add a --job x --job y").texts("job") == ["x", "y"])
        let user = try parsed(
            "user add u --tenant t --set a=1=2 --set b=∅ --secret s=@f --secret p=- --list l=@x")
        #expect(
            user.assignments("set") == [
                Assignment(name: "a", value: .text("1=2")), Assignment(name: "b", value: .text("")),
            ])
        #expect(
            user.assignments("secret") == [
                Assignment(name: "s", value: .file("f")),
                Assignment(name: "p", value: .standardInput),
            ])
        #expect(user.assignments("list") == [Assignment(name: "l", value: .file("x"))])
        #expect(
            try parsed("tenant set a --source h=http://x/y").assignments("source") == [
                Assignment(name: "h", value: .text("http://x/y"))
            ])
    }

    @Test func `what follows two dashes is no option`() throws {
        #expect(try parsed("validate -- --help -x --").positionals == ["--help", "-x", "--"])
        #expect(try parsed("validate -").positionals == ["-"])
        #expect(try parsed("tenant add a --job=-x").texts("job") == ["-x"])
    }

    @Test(
        arguments: [
            ("90s", 90_000), ("5m", 300_000), ("1h30m", 5_400_000), ("2d", 172_800_000),
            ("500ms", 500), ("1d2h3m4s5ms", 93_784_005), ("", nil), ("0s", nil), ("5", nil),
            ("s", nil), ("5x", nil), ("-5s", nil), ("1m1m", nil), ("1s1m", nil), ("1.5h", nil),
            ("9999999999d", nil), ("5 m", nil), ("٥m", nil),
        ] as [(String, Int64?)])
    func `durations are numbers with units`(text: String, milliseconds: Int64?) {
        #expect(parseDuration(text) == milliseconds.map { .milliseconds($0) })
    }

    @Test(
        arguments: [
            ("sttaus", "status"), ("staus", "status"), ("statuss", "status"), ("status", "status"),
            ("run", "runs"), ("enq", "enqueue"), ("x", nil), ("", nil), ("worry", nil),
            (String(repeating: "w", count: 100_000), nil),
        ] as [(String, String?)])
    func `a slip or two is recognised, more is not`(typed: String, meant: String?) {
        #expect(nearest(to: typed, among: ["status", "runs", "enqueue", "worker"]) == meant)
    }

    @Test func `exit codes are those of sysexits`() {
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 64, 65, 66, 69, 70, 75, 78])
    }
}
