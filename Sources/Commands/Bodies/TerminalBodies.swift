/// `jobrunner completion bash`.
func completeInBash(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    try context.output.print(BashCompletion(commands: allCommands).text)
    return .ok
}

/// `jobrunner completion zsh`.
func completeInZsh(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    try context.output.print(ZshCompletion(commands: allCommands).text)
    return .ok
}

/// `jobrunner man`.
func printManual(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    try context.output.print(ManPage(commands: allCommands, version: programVersion).text)
    return .ok
}
