import CCurl
import Glibc

/// What curl's callbacks are given; lives as long as the handle it is set on is in use.
final class CallbackContext {
    let transfer: Transfer
    let limits: HTTPLimits

    init(transfer: Transfer, limits: HTTPLimits) {
        self.transfer = transfer
        self.limits = limits
    }

    static func from(_ pointer: UnsafeMutableRawPointer?) -> CallbackContext? {
        pointer.map { Unmanaged<CallbackContext>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Any other number than the bytes given makes curl stop.
private let stop = 0

func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = CallbackContext.from(context) else { return stop }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return context.transfer.receive(headerLine: line, limits: context.limits) ? line.count : stop
}

func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = CallbackContext.from(context) else { return stop }
    let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return context.transfer.receive(body: part, limits: context.limits) ? part.count : stop
}

/// Opens the socket curl is about to connect, unless the address is one no source has.
func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context = CallbackContext.from(context), let address else { return -1 }
    guard isAllowed(address, context.transfer.request) else {
        context.transfer.isAddressRefused = true
        return -1
    }
    let flags = CInt(SOCK_CLOEXEC.rawValue)
    let opened = socket(
        address.pointee.family, address.pointee.socktype | flags, address.pointee.protocol)
    context.transfer.socketError = opened < 0 ? errno : 0
    context.transfer.address = copy(of: address)
    return opened
}

private func copy(
    of address: UnsafeMutablePointer<curl_sockaddr>
) -> (sockaddr_storage, length: socklen_t)? {
    var storage = sockaddr_storage()
    let length = Int(address.pointee.addrlen)
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr),
        length <= MemoryLayout<sockaddr_storage>.size
    else { return nil }
    withUnsafeMutableBytes(of: &storage) {
        $0.copyMemory(
            from: UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + offset, count: length))
    }
    return (storage, socklen_t(length))
}

/// Looks once more at the address of a connection, new or kept, before a request goes over it.
func beforeRequest(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?,
    _ local: UnsafeMutablePointer<CChar>?, _ remotePort: CInt, _ localPort: CInt
) -> CInt {
    guard let context = CallbackContext.from(context), let remote else {
        return CInt(CURL_PREREQFUNC_ABORT)
    }
    var four = in_addr()
    var six = in6_addr()
    let isPublic =
        if inet_pton(AF_INET, remote, &four) == 1 {
            withUnsafeBytes(of: four) { isPublicAddress(ipv4: Array($0)) }
        } else if inet_pton(AF_INET6, remote, &six) == 1 {
            withUnsafeBytes(of: six) { isPublicAddress(ipv6: Array($0)) }
        } else {
            false
        }
    guard !isPublic else { return CInt(CURL_PREREQFUNC_OK) }
    context.transfer.refusal = .addressNotPublic
    return CInt(CURL_PREREQFUNC_ABORT)
}

private func isAllowed(
    _ address: UnsafeMutablePointer<curl_sockaddr>, _ request: HTTPRequest
) -> Bool {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return false }
    let sockaddr = UnsafeRawPointer(address) + offset
    switch address.pointee.family {
    case AF_INET:
        let address = sockaddr.loadUnaligned(as: sockaddr_in.self).sin_addr
        return withUnsafeBytes(of: address) {
            isSourceAddress(ipv4: Array($0))
                && (!request.isPublicOnly || isPublicAddress(ipv4: Array($0)))
        }
    case AF_INET6:
        let address = sockaddr.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        return withUnsafeBytes(of: address) {
            isSourceAddress(ipv6: Array($0))
                && (!request.isPublicOnly || isPublicAddress(ipv6: Array($0)))
        }
    default: return false
    }
}
