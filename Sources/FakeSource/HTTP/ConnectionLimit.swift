import Glibc

/// Raises the limit of open files as far as allowed; some stay for what is no connection.
func raisedConnectionsMax() -> UInt32 {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(files, &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(files, &limit)
    getrlimit(files, &limit)
    return UInt32(clamping: min(max(64, Int(clamping: limit.rlim_cur) - 64), 50_000))
}
