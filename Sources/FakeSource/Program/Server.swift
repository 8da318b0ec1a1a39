internal import CMicroHTTPD
internal import CMicroHTTPDShim
import Glibc

/// libmicrohttpd's side: requests in, answers out.
///
/// One thread serves all connections, so the world needs no lock; waiting connections are suspended.
final class Server {
    private let world: World
    private let timer = ConnectionTimer()
    private var daemon: OpaquePointer?
    private var controlNumber = 0

    /// libmicrohttpd's MHD_SIZE_UNKNOWN, a macro with a cast.
    private static let unknownLength = UInt64.max

    init(_ world: World) { self.world = world }

    /// The port it listens on; nil when it can't.
    func start(host: String, port: UInt16, connectionsMax: UInt32) -> UInt16? {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
        daemon = mhd_shim_start(
            address.s_addr, port, connectionsMax, Server.onRequest, Server.onEnd,
            Unmanaged.passUnretained(self).toOpaque())
        return daemon.map { mhd_shim_port($0) }
    }

    func stop() {
        timer.stop()
        if let daemon { MHD_stop_daemon(daemon) }
        daemon = nil
    }

    // MARK: Called by libmicrohttpd

    private static let onRequest: MHD_AccessHandlerCallback = {
        context, connection, path, method, _, data, size, state in
        guard let context, let connection, let path, let method, let state, let size else {
            return .NO
        }
        guard let known = state.pointee else {
            let exchange = Exchange(
                connection: connection, method: String(cString: method),
                path: String(cString: path))
            state.pointee = Unmanaged.passRetained(exchange).toOpaque()
            return .YES
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
        if size.pointee > 0 {
            exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
            size.pointee = 0
            return .YES
        }
        return Unmanaged<Server>.fromOpaque(context).takeUnretainedValue().serve(exchange)
    }

    private static let onEnd: MHD_RequestCompletedCallback = { context, _, state, code in
        guard let context, let known = state?.pointee else { return }
        state?.pointee = nil
        let exchange = Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
        let isComplete = code == .REQUEST_TERMINATED_COMPLETED_OK
        Unmanaged<Server>.fromOpaque(context).takeUnretainedValue().end(exchange, isComplete)
    }

    // MARK: The steps of an exchange

    private func serve(_ exchange: Exchange) -> MHD_Result {
        guard let answer = exchange.answer else {
            let answer = answer(exchange)
            exchange.answer = answer
            if case .hang = answer.delivery { return sleep(exchange, until: nil) }
            guard answer.delay > 0 else { return reply(answer, exchange) }
            return sleep(exchange, until: monotonicClock() + answer.delay)
        }
        return timer.hasEnded(exchange.number) ? .NO : reply(answer, exchange)
    }

    private func sleep(_ exchange: Exchange, until deadline: Milliseconds?) -> MHD_Result {
        timer.sleep(exchange.connection, number: exchange.number, until: deadline)
        return .YES
    }

    private func answer(_ exchange: Exchange) -> Answer {
        let isControl = exchange.path.hasPrefix("/_control/")
        if isControl {
            controlNumber -= 1
            exchange.number = controlNumber
        } else {
            exchange.number = world.log.takeNumber()
        }
        let request = Request(
            number: exchange.number, method: exchange.method, path: exchange.path,
            queries: values(exchange.connection, .GET_ARGUMENT_KIND),
            headers: values(exchange.connection, .HEADER_KIND), body: exchange.body)
        if exchange.isTooLarge { return .error(413, "Body too large") }
        exchange.body = []
        guard isControl else { return world.answer(request) }
        return Control(world: world, timer: timer).answer(request)
    }

    private func values(
        _ connection: OpaquePointer, _ kind: MHD_ValueKind
    ) -> [(String, String)] {
        var pairs: [(String, String)] = []
        withUnsafeMutablePointer(to: &pairs) { pairs in
            _ = MHD_get_connection_values(
                connection, kind,
                { context, _, key, value in
                    guard let key else { return .YES }
                    context?.assumingMemoryBound(to: [(String, String)].self).pointee.append(
                        (String(cString: key), value.map { String(cString: $0) } ?? ""))
                    return .YES
                }, pairs)
        }
        return pairs
    }

    private func reply(_ answer: Answer, _ exchange: Exchange) -> MHD_Result {
        let socket = mhd_shim_socket(exchange.connection)
        switch answer.delivery {
        case .reply: break
        case .hang, .close: return .NO
        case .reset:
            // Disconnecting by address is what makes Linux send a reset at once.
            var nowhere = sockaddr()
            nowhere.sa_family = sa_family_t(AF_UNSPEC)
            connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
            return .NO
        case .raw(let bytes):
            // Past libmicrohttpd, which only knows how to be correct. Nothing is queued before it.
            exchange.bytes = max(0, send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
            return .NO
        }
        guard let response = response(answer, exchange) else { return .NO }
        defer { MHD_destroy_response(response) }
        for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(exchange.connection, UInt32(answer.status), response)
    }

    private func response(_ answer: Answer, _ exchange: Exchange) -> OpaquePointer? {
        if case .bytes(let bytes) = answer.body, answer.shape.isPlain {
            exchange.bytes = bytes.count
            return bytes.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress),
                    .RESPMEM_MUST_COPY)
            }
        }
        let reader = BodyReader(answer, exchange, timer)
        let known = answer.shape.isChunked ? nil : answer.body.length
        let length = known.map { UInt64($0 + answer.shape.missingBytes) } ?? Server.unknownLength
        return makeResponse(reading: reader, length: length)
    }

    private func end(_ exchange: Exchange, _ isComplete: Bool) {
        timer.forget(exchange.number)
        guard exchange.number > 0 else { return }
        world.close(exchange.number, bytes: exchange.bytes, isComplete: isComplete)
    }
}
