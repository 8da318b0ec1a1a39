import Synchronization

/// Which server a session has: a cluster of PostgreSQL, and its timeline, which each promotion of a standby raises.
struct ServerIdentity: Hashable, Sendable {
    /// The same for a primary and its standbys.
    let system: Int64
    let timeline: Int64
}

/// The newest timeline that this process has seen of each cluster.
///
/// A primary that was replaced and comes back beside its successor has an older one: whoever wrote to it would lose what
/// he wrote.
final class ServerTimelines: Sendable {
    /// Those of the process.
    static let shared = ServerTimelines()

    private let newest = Mutex<[Int64: Int64]>([:])

    /// Remembers the server, unless a newer one of its cluster is known.
    func note(_ server: ServerIdentity) {
        newest.withLock { newest in
            newest[server.system] = max(newest[server.system] ?? 0, server.timeline)
        }
    }

    /// The timeline that has taken the server's place; nil when none has.
    func successor(of server: ServerIdentity) -> Int64? {
        newest.withLock { newest in
            newest[server.system].flatMap { $0 > server.timeline ? $0 : nil }
        }
    }

    /// The newest timeline, where one cluster alone is known: a pooler does not say of which its server is.
    var ofOnlyCluster: Int64? {
        newest.withLock { $0.count == 1 ? $0.first?.value : nil }
    }

    var isEmpty: Bool { newest.withLock { $0.isEmpty } }
}

/// When all servers are asked before one is taken, and that of the newest timeline is.
enum ServerComparison: Sendable {
    case never
    /// While nothing is known of any: a server that was replaced may be the first of the list.
    case atFirst
    case always
}

/// What a session is asked once, when it is connected.
///
/// Each part is null where it can't be told: a standby has no timeline of its own, and a server of a provider may not
/// show its control file. The last one is null behind a pooler that drops what a session asks for.
let identityQuestion = """
    select (select c.system_identifier from pg_catalog.pg_control_system() as c), \(timelineOfServer), \
    pg_catalog.current_setting('\(ownSessionSetting.name)', true)
    """

/// The timeline on which the server writes; null on a standby.
let timelineOfServer = """
    case when not pg_catalog.pg_is_in_recovery() then ('x' || pg_catalog.substr(\
    pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::bigint end
    """

/// A setting by which a session knows that the server has taken those it asked for.
let ownSessionSetting = (name: "jobrunner.session", value: "own")
