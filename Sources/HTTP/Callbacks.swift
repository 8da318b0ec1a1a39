import CCurl
import Glibc

/// What curl's callbacks are given; lives as long as the handle it is set on is in use.
final class CallbackContext {
    let transfer: Transfer
    let limits: HTTPLimits
    let check: AddressCheck

    init(transfer: Transfer, limits: HTTPLimits, check: AddressCheck) {
        self.transfer = transfer
        self.limits = limits
        self.check = check
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

/// Opens the socket curl is about to connect, unless the address is one that is refused.
func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context = CallbackContext.from(context), let address else { return -1 }
    if let refusal = context.refusal(of: bytes(of: address)) {
        context.transfer.addressRefusal = refusal
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
    guard let refusal = context.refusal(of: addressBytes(String(cString: remote))) else {
        return CInt(CURL_PREREQFUNC_OK)
    }
    context.transfer.refusal = refusal
    return CInt(CURL_PREREQFUNC_ABORT)
}

extension CallbackContext {
    /// Nil when the address may be connected to; one that can't be read may not.
    fileprivate func refusal(of address: [UInt8]?) -> HTTPError? {
        guard let address else {
            return .addressRefused(
                AddressRefusal(address: "?", range: "no IP address", canBeNamed: false))
        }
        return check.refusal(of: address, isPublicOnly: transfer.request.isPublicOnly)
    }
}

/// Nil for what is no address of the internet.
private func bytes(of address: UnsafeMutablePointer<curl_sockaddr>) -> [UInt8]? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let sockaddr = UnsafeRawPointer(address) + offset
    switch address.pointee.family {
    case AF_INET:
        let address = sockaddr.loadUnaligned(as: sockaddr_in.self).sin_addr
        return withUnsafeBytes(of: address) { Array($0) }
    case AF_INET6:
        let address = sockaddr.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        return withUnsafeBytes(of: address) { Array($0) }
    default: return nil
    }
}
