import CLinux
import Glibc
import Testing

@testable import Commands

@Suite struct PrivateMemoryTests {
    @Test func `a process that keeps its memory private leaves no core and lets nobody look`() async
    {
        await #expect(processExitsWith: .success) {
            keepMemoryPrivate()
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            exit(limit.rlim_cur == 0 && limit.rlim_max == 0 && jobrunner_is_dumpable() == 0 ? 0 : 1)
        }
    }
}
