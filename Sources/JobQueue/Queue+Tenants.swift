import Postgres

/// What an operator says of a tenant; nil and empty leave what is there.
public struct TenantChange: Sendable {
    /// Name of the tenant.
    public var name: String
    /// Share of the slots, 1…1000.
    public var weight: Int?
    /// Most jobs that run at once.
    public var maxRunning: Int?
    /// Takes the limit away.
    public var isUnlimited = false
    /// Jobs that every user of the tenant gets.
    public var jobs: [String] = []
    /// Over which their first runs are spread, in the lane of those who are new; nil when they are due at once.
    public var within: Duration?
    /// Jobs that are taken from the tenant and all its users.
    public var takenJobs: [String] = []
    /// What the taken jobs have synced goes too.
    public var deletesRows = false
    /// Addresses of sources in place of the job files', by the source's id.
    public var sources: [(id: String, base: String)] = []
    /// Makes the secrets to store.
    public var seal: Sealing?

    /// Begins with nothing to change.
    public init(name: String) { self.name = name }
}

/// What a change of a tenant brought.
public struct TenantChanged: Sendable, Equatable {
    /// Standing jobs that its users got.
    public var jobs = 0
    /// Standing jobs that were taken from them.
    public var taken = 0
    /// Jobs that a new secret woke.
    public var woken = 0
}

extension Queue {
    /// Adds a tenant with its jobs, addresses and secrets, or nothing of it.
    public func addTenant(_ tenant: TenantChange) async throws -> TenantChanged {
        try await transaction { session in
            let id = try session.query(
                Statement(
                    "select jobrunner.add_tenant($1, $2, $3)", .text(tenant.name),
                    .int4(Int32(clamping: tenant.weight ?? 1)), bind(tenant.maxRunning))
            ).only().int(0)
            return try session.give(tenant, id: Int64(id))
        }
    }

    /// Changes a tenant, or nothing of it.
    public func setTenant(_ tenant: TenantChange) async throws -> TenantChanged {
        try await transaction { session in
            let id = try session.query(
                Statement("select id from jobrunner.tenant_named($1)", .text(tenant.name))
            ).only().int(0)
            _ = try session.query(
                Statement(
                    "select jobrunner.set_tenant($1, $2, $3, $4)", .text(tenant.name),
                    bind(tenant.weight), bind(tenant.maxRunning), .bool(tenant.isUnlimited)))
            return try session.give(tenant, id: Int64(id))
        }
    }

    /// Runs the body as one transaction; throws the error that decided its end.
    func transaction<R: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> R
    ) async throws -> R {
        do {
            return try await database.run { try $0.transaction(body) }
        } catch let error as TransactionError {
            guard let cause = error.databaseError else { throw error.body ?? error }
            throw QueueError(cause) ?? cause as any Error
        } catch let error as DatabaseError {
            throw QueueError(error) ?? error as any Error
        }
    }
}

extension Session {
    fileprivate func give(_ tenant: TenantChange, id: Int64) throws -> TenantChanged {
        var changed = TenantChanged()
        for job in tenant.takenJobs {
            changed.taken += try query(
                Statement(
                    "select jobrunner.take_job($1, $2, $3)", .text(tenant.name), .text(job),
                    .bool(tenant.deletesRows))
            ).only().int(0)
        }
        for job in tenant.jobs {
            changed.jobs += try query(
                Statement(
                    "select jobrunner.give_job($1, $2, $3)", .text(tenant.name), .text(job),
                    .optional(tenant.within) { .interval($0.wholeMilliseconds * 1000) })
            ).only().int(0)
        }
        for source in tenant.sources {
            _ = try query(
                Statement(
                    "select jobrunner.set_source($1, $2, $3)", .text(tenant.name),
                    .text(source.id), .text(source.base)))
        }
        changed.woken = try store(tenant.seal, tenant: tenant.name, id: id, user: nil)
        return changed
    }

    /// Stores sealed secrets of a user, or of the tenant itself; returns how many jobs they woke.
    func store(
        _ sealing: Sealing?, tenant: String, id: Int64, user: String?,
        attributes: String = "{}"
    ) throws -> Int {
        guard let sealing else { return 0 }
        var facts = try sealingFacts(ofTenant: id, sealing)
        facts.attributes = attributes
        return try sealing.seal(facts).reduce(0) { woken, secret in
            let statement = Statement(
                "select jobrunner.set_secret($1, $2, $3, $4)", .text(tenant),
                .optional(user, Bind.text), .text(secret.name), .bytes(secret.sealed))
            return try woken + query(statement).only().int(0)
        }
    }
}

private func bind(_ number: Int?) -> Bind { .optional(number) { .int4(Int32(clamping: $0)) } }
