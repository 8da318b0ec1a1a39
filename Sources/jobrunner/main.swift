import Commands
import Glibc

exit(await Commands.main(CommandLine.arguments))
