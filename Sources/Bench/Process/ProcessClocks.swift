import CLinux
import Glibc

/// Processor time of all threads of a process, ended ones included; nil when it is gone.
func processorSeconds(of pid: pid_t) -> Double? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else {
        return nil
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Processor time of a process, its living children, and those that ended and were waited for.
///
/// The ended ones count in hundredths of a second, as the kernel tells them.
func processorSecondsOfTree(_ root: pid_t) -> Double {
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    let fields = statFields(of: root)
    let ended = fields.count > 14 ? ((Double(fields[13]) ?? 0) + (Double(fields[14]) ?? 0)) : 0
    let living = [root] + children(of: root)
    return living.reduce(ended / ticks) { $0 + (processorSeconds(of: $1) ?? 0) }
}

/// Peak of a process's resident memory (VmHWM); nil when it has ended.
func residentPeakBytes(of pid: pid_t) -> Int? {
    guard let status = try? readFile("/proc/\(pid)/status") else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first
        .flatMap { Int($0) }.map { $0 * 1024 }
}

private func children(of pid: pid_t) -> [pid_t] {
    let text = (try? readFile("/proc/\(pid)/task/\(pid)/children")) ?? ""
    return text.split(separator: " ").compactMap { pid_t($0) }
}

/// The fields of /proc/PID/stat from the third on, whose index is 0.
private func statFields(of pid: pid_t) -> [Substring] {
    guard let text = try? readFile("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else {
        return []
    }
    return text[text.index(after: end)...].split(separator: " ")
}
