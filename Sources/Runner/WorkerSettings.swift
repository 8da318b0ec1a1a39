/// How one worker behaves; every span is measured on this machine's monotonic clock.
public struct WorkerSettings: Sendable {
    /// Most jobs it runs at once, 1…10,000.
    public var concurrency: Int
    /// Slots that tenants whose runs are longer than a second leave to others: an eighth of all; with
    /// `drains` none, for nobody else is to come.
    public var reserved: Int
    /// End when nothing is due or running.
    public var drains: Bool
    /// The machine's name, for people.
    public var host: String
    /// The process, for people.
    public var pid: Int32
    /// The program's version, for people.
    public var version: String
    /// A worker silent for longer loses its jobs (15 s).
    public var lease: Duration = .seconds(15)
    /// Between heartbeats: a third of the lease, so that two may be late, and at most twenty seconds, since those who
    /// watch take a worker for dead after a minute.
    public var heartbeat: Duration { min(lease / 3, .seconds(20)) }
    /// Between looks for due jobs when no notification comes.
    public var poll: Duration = .seconds(1)
    /// The same while no slot is free, so that runs can be asked to make room.
    public var pollWhenFull: Duration = .milliseconds(500)
    /// Between looks for dead workers and for stop requests.
    public var supervision: Duration = .milliseconds(500)
    /// Between chores, such as looking for quarantines that are over.
    public var maintenance: Duration = .seconds(10)
    /// Between heartbeats while the session that stands for the worker is lost.
    public var heartbeatWithoutSession: Duration { min(heartbeat, .milliseconds(500)) }
    /// How long a stopped worker may take for its last outcomes; sessions that hang take three
    /// seconds more to end.
    public var grace: Duration = .seconds(6)
    /// With `drains`: how long it goes on without a database that works.
    public var patience: Duration = .seconds(60)
    /// Which part of its longest wait a failed job waits (`finishRuns`); nil means by chance.
    public var failedWait: Double?
    /// Between looks whether a server that answers was replaced; each takes a connection.
    public var replacement: Duration { lease * 2 }
    /// How long its sessions may fail, though new ones would not, before it says that it needs to be started anew.
    public var sessionTrouble: Duration = .seconds(180)
    /// Between the trials of a new session while they fail.
    public var sessionTrial: Duration = .seconds(15)
    /// How long a loop may stand still before it says so.
    public var standstill: Duration = .seconds(300)
    /// How long history is kept.
    public var retention: Duration = .seconds(30 * 86400)

    /// Settings with the defaults above.
    public init(concurrency: Int, drains: Bool, host: String, pid: Int32, version: String) {
        self.concurrency = concurrency
        reserved = drains ? 0 : concurrency / 8
        self.drains = drains
        self.host = host
        self.pid = pid
        self.version = version
    }
}
