/// `jobrunner worker`.
enum WorkerCommand {
    /// Claims due jobs and runs them until told to stop, or with `--drain` until nothing is left.
    static func run(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
        throw Failure(.software, "this build has no worker")
    }
}
