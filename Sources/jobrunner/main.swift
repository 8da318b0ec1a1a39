import Commands

Commands.start(CommandLine.arguments)
