import CLinux
import Glibc

/// Keeps what this process knows out of core files, and from other processes of its user.
///
/// Neither can fail: a limit may always be lowered, and the kernel knows the other since its beginnings.
func keepMemoryPrivate() {
    var none = rlimit()
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = jobrunner_set_dumpable(0)
}
