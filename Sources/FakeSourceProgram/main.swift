import FakeSource
import Glibc

exit(runFakeSource(Array(CommandLine.arguments.dropFirst())))
