import CCurl
import Glibc

/// What this process lacked, so that an exchange came to nothing; nil when it lacked nothing, as far as can be seen.
///
/// `systemError` is what the system said to curl.
func lack(_ transfer: Transfer, _ code: CURLcode, systemError: Int32) -> String? {
    if let word = word(of: transfer.socketError) ?? word(of: systemError) { return word }
    if systemError == EADDRNOTAVAIL { return hasRoute(transfer) ? "local port" : nil }
    switch code {
    // The resolver and the file of certificates need descriptors too, and curl does not pass on why it got none.
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_SSL_CACERT_BADFILE, CURLE_OUT_OF_MEMORY,
        CURLE_FAILED_INIT:
        return word(of: errorOfOpening())
    default: return nil
    }
}

private func word(of error: Int32) -> String? {
    switch error {
    case EMFILE, ENFILE: "file descriptor"
    case ENOBUFS, ENOMEM: "memory for a socket"
    default: nil
    }
}

/// Why a descriptor can't be had at this moment; 0: it can.
private func errorOfOpening() -> Int32 {
    let opened = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return errno }
    close(opened)
    return 0
}

/// The machine could reach the address: connecting by UDP asks for its way alone, and takes none of TCP's ports.
///
/// Without a way, as to an address of IPv6 where there is none, the system answers with the same error as without a
/// port.
private func hasRoute(_ transfer: Transfer) -> Bool {
    guard let (address, length) = transfer.address else { return false }
    var storage = address
    let probe = socket(
        Int32(storage.ss_family), Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { return false }
    defer { close(probe) }
    return withUnsafePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(probe, $0, length) == 0
        }
    }
}
