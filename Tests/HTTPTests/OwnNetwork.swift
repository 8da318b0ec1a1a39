import Foundation
import Glibc
import Synchronization
import Testing

@testable import HTTP

/// A network of its own, in which every address of the internet is this machine, and a list of hosts of its own.
///
/// A test goes there by running this program again, with that one test: what a process starts by itself, such as the
/// threads of the runtime, may be used by any test, and must not be in another network than the test.
enum OwnNetwork {
    private static let mark = "JOBRUNNER_TEST_OWN_HOSTS"
    /// Nothing can be reached there, which is no address that is refused.
    static let unreachable = "9.9.9.9"
    private static let hosts = ProcessInfo.processInfo.environment[mark]

    /// Runs the body in a network of its own; `suite` is the one that holds the test, and nothing but it.
    ///
    /// Where none can be made the test fails.
    static func with(suite: String, _ body: (AddressServer) async throws -> Void) async throws {
        if hosts == nil { return try await again(suite) }
        let server = try AddressServer()
        defer { server.stop() }
        try await body(server)
    }

    /// From here on the names mean these addresses, for lines such as `8.8.8.8 a.test`.
    static func resolve(_ lines: [String]) throws {
        // In place: another file under this name would not be the one that is mounted.
        let handle = try FileHandle(forWritingTo: URL(filePath: hosts ?? ""))
        defer { try? handle.close() }
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    private static func again(_ suite: String) async throws {
        let hosts = FileManager.default.temporaryDirectory
            .appending(path: "jobrunner-hosts-\(UUID().uuidString)")
        try Data().write(to: hosts)
        defer { try? FileManager.default.removeItem(at: hosts) }
        let (status, output) = try await offPool {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            // Whoever is not root is root of the namespace alone.
            let rights = geteuid() == 0 ? [] : ["--user", "--map-root-user"]
            let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path()
            process.arguments =
                ["unshare", "--net", "--mount"] + rights
                + ["sh", "-ec", inside, program, hosts.path(), "HTTPTests.\(suite)/"]
            var environment = ProcessInfo.processInfo.environment
            environment[mark] = hosts.path()
            process.environment = environment
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: output, as: UTF8.self))
        }
        #expect(status == 0 && output.contains("with 1 test"), "\(output.suffix(4000))")
    }

    private static let inside = """
        mount --bind "$1" /etc/hosts
        ip link set lo up
        ip route add local 0.0.0.0/0 dev lo
        ip -6 route add local ::/0 dev lo
        ip route add unreachable \(unreachable) table local
        exec "$0" --testing-library swift-testing --filter "$2"
        """
}

/// Answers on one port of every address, and notes which one was dialled.
final class AddressServer: Sendable {
    let port: Int
    private let listener: CInt
    private let addresses = Mutex<[[UInt8]]>([])

    /// The addresses that connections came for, as they came.
    var dialled: [[UInt8]] { addresses.withLock { $0 } }

    init() throws {
        listener = socket(AF_INET6, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var any = sockaddr_in6()
        any.sin6_family = sa_family_t(AF_INET6)
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &any) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1024) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw SocketError() }
        port = Int(UInt16(bigEndian: any.sin6_port))
        onThread { [self] in
            while case let socket = accept(listener, nil, nil), socket >= 0 {
                note(socket)
                onThread {
                    let connection = Connection(socket: socket)
                    while connection.readRequest() != nil { connection.answer() }
                    connection.close()
                }
            }
            Glibc.close(listener)
        }
    }

    func stop() { shutdown(listener, CInt(SHUT_RDWR)) }

    /// The end of the connection that is here has the address that was dialled; of one for a translator (NAT64) the IPv4
    /// address counts that it would lead to.
    private func note(_ socket: CInt) {
        var own = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(socket, $0, &length)
            }
        }
        let bytes = withUnsafeBytes(of: own.sin6_addr) { Array($0) }
        let carriers = [
            [UInt8](repeating: 0, count: 10) + [0xff, 0xff],
            [0, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8),
        ]
        let isCarried = carriers.contains { bytes.starts(with: $0) }
        addresses.withLock { $0.append(isCarried ? Array(bytes[12...]) : bytes) }
    }
}
