import Foundation

/// A socket that listens on a free port of this machine, and the port.
public func listenOnLoopback() throws -> (listener: Int32, port: UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port: 0)
    try withSocketAddress(&address) { pointer, length in
        try check(bind(listener, pointer, length))
        try check(listen(listener, 64))
        var length = length
        try check(getsockname(listener, pointer, &length))
    }
    return (listener, UInt16(bigEndian: address.sin_port))
}

/// A connection to a port of this machine; negative: nobody listens there.
func connectToLoopback(_ port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port: port)
    guard withSocketAddress(&address, { connect(descriptor, $0, $1) }) != 0 else {
        return descriptor
    }
    close(descriptor)
    return -1
}

func receive(_ descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Data(buffer[0..<count]) : nil
}

func forward(_ data: Data, to descriptor: Int32) {
    data.withUnsafeBytes { bytes in
        _ = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

func withSocketAddress<R>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) throws -> R
) rethrows -> R {
    try withUnsafeMutableBytes(of: &address) { bytes in
        try bytes.withMemoryRebound(to: sockaddr.self) { buffer in
            guard let pointer = buffer.baseAddress else { preconditionFailure("no address") }
            return try body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

func check(_ result: Int32) throws {
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
