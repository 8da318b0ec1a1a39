import Foundation

/// pgbouncer before a server, which lends its sessions for transactions.
public final class Pooler: Sendable {
    /// The connection string that was given, leading through it.
    public let url: String
    private let directory = newServerDirectory()

    /// Starts one before the server of `url`; `lines` are settings of pgbouncer's own.
    public init(to url: String, _ lines: String...) throws {
        guard let parts = URLComponents(string: url), let host = parts.host, let port = parts.port
        else { throw POSIXError(.EINVAL) }
        let said = try runPG(["pooler", directory, "\(host):\(port)"] + lines)
        guard let place = said.split(separator: "\n").first(where: { $0.hasPrefix("POOLER=") })
        else { throw ServerFailure(description: "no POOLER in: \(said)") }
        self.url = url.replacing(
            "\(host):\(port)", with: place.dropFirst("POOLER=".count), maxReplacements: 1)
    }

    /// Ends it and all sessions through it.
    public func stop() throws { try stopServer(directory) }
}
