import Basics
import Glibc

/// The command line: words in, words out, exit codes.
public enum CommandLineProgram {
    /// Does what the process's arguments ask for and ends the process with its exit code.
    ///
    /// It is synchronous because an asynchronous `main` already runs on a thread of the runtime's,
    /// and the signals of a worker must be blocked before any such thread exists.
    public static func start(_ arguments: [String]) -> Never {
        keepMemoryPrivate()
        if let word = arguments.dropFirst().first, ["worker", "serve", "test"].contains(word) {
            Signals.block()
        } else {
            Signals.unblock()
        }
        Task { endProcess(await main(arguments)) }
        while true { pause() }
    }

    /// Does what the arguments ask for; the result is the process's exit code.
    static func main(_ arguments: [String]) async -> Int32 {
        // A reader that goes away is an error of `write`, not a death.
        signal(SIGPIPE, SIG_IGN)
        let output = Output()
        do throws(UsageError) {
            switch try parse(Array(arguments.dropFirst()), allCommands) {
            case .help(let topic): return show(helpText(about: topic, allCommands), output)
            case .version: return show("jobrunner \(programVersion)\n", output)
            case .command(let parsed): return await perform(parsed, output).rawValue
            }
        } catch {
            output.complain(error.description)
            return error.exitCode.rawValue
        }
    }

    private static func show(_ text: String, _ output: Output) -> Int32 {
        do { try output.print(text) } catch { return Failure(error).exitCode.rawValue }
        return ExitCode.ok.rawValue
    }

    /// Runs a command's body, away from the main actor; every error ends here, as a line and a code.
    @concurrent
    private static func perform(_ arguments: ParsedArguments, _ output: Output) async -> ExitCode {
        do {
            let settings = try Settings(environment: environmentVariable)
            guard let body = bodies[arguments.command.name] else {
                preconditionFailure("\(arguments.command.name) has no body")
            }
            let arguments = try arguments.filled(from: settings.found)
            try LossConfirmation().check(arguments)
            return try await body(arguments, Context(settings: settings, output: output))
        } catch {
            let failure = Failure(error)
            for line in failure.lines {
                output.complain("jobrunner \(arguments.command.name): \(line)")
            }
            return failure.exitCode
        }
    }
}

/// A variable of this process's environment; nil means that it is not set.
func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
