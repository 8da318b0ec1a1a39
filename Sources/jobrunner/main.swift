import Commands

CommandLineProgram.start(CommandLine.arguments)
