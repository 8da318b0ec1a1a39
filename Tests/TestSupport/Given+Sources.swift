// What sources and their tenants are to the product.
extension Given {
    /// The breaker of every source was opened so long ago, so many times, and stays open for so long.
    public static func blocked(
        for span: String = "1 hour", since: String = "0 s", openings: Int = 1,
        because reason: String = "a test"
    ) -> Given {
        update(
            "sources",
            """
            opened_at = \(ago(since)), failed_openings = \(openings), consecutive_failures = 12,
              blocked_until = \(ahead(span)), block_reason = '\(reason)'
            """)
    }
    /// The time of every block is over: the next request tries the source.
    public static func blockOver() -> Given {
        update("sources", "blocked_until = now()", "blocked_until is not null")
    }
    /// No breaker is open, nor was.
    public static func unblocked() -> Given {
        update(
            "sources",
            """
            opened_at = null, failed_openings = 0, consecutive_failures = 0, blocked_until = null, block_reason = null
            """)
    }
    /// Every source is at this address, whatever its job file allows.
    public static func base(_ address: String) -> Given {
        update("sources", "base = \(literal(address))")
    }
    /// So many requests are left, of a tenant's budgets or of all.
    public static func tokens(_ count: Int, of tenant: String = "") -> Given {
        update(
            "sources", "tokens = \(count), refilled_at = clock_timestamp()",
            Whose.tenants(tenant).condition)
    }
    /// One more host of a source, which a user of a tenant chose, is away.
    public static func blockedHost(_ name: String, of tenant: String) -> Given {
        Given(
            """
            insert into jobrunner.sources (tenant_id, name, consecutive_failures, opened_at, failed_openings,
              blocked_until, block_reason)
            select t.id, \(literal(name)), 10, now(), 1, now() + interval '1 hour', 'away'
            from jobrunner.tenants as t where \(named(tenant))
            """)
    }
    /// Breakers were open, and nobody has asked for so long.
    public static func blockForgotten(ago span: String) -> Given {
        update(
            "sources",
            """
            blocked_until = now() - interval '\(span)', opened_at = now() - interval '\(span)',
            refilled_at = now() - interval '\(span)'
            """, "blocked_until is not null")
    }
    /// Budgets were last filled up so long ago.
    public static func refilled(ago span: String = "0 s") -> Given {
        update("sources", "refilled_at = clock_timestamp() - interval '\(span)'")
    }
    /// Tenants are paused whose name matches a pattern.
    public static func pausedTenants(_ pattern: String = "") -> Given {
        update("tenants", "paused_at = now()", "name ~ '\(pattern)'")
    }
    /// What a user, or each, is known by is so from now on, beside what it was.
    public static func attributes(_ json: String, of key: String? = nil) -> Given {
        update("users", "attributes = attributes || \(literal(json))", named(key, "key"))
    }

    /// A secret, or every one, is lost; of one user where that is said.
    public static func noSecret(_ name: String? = nil, of key: String? = nil) -> Given {
        let user = "(select id from jobrunner.users where \(named(key, "key")) limit 1)"
        return Given(
            "delete from jobrunner.secrets where \(named(name)) and \(key == nil ? "true" : "user_id = \(user)")"
        )
    }
    /// Every secret is stored as these sealed bytes.
    public static func sealed(as bytes: [UInt8]) -> Given {
        update("secrets", "sealed = \(bytea(bytes))")
    }
    /// No key opens the secrets any more: a byte of the name of the key that wrapped theirs is another one.
    public static func otherKey() -> Given {
        update("tenant_keys", "wrapped_by = set_byte(wrapped_by, 1, get_byte(wrapped_by, 1) # 255)")
    }
    /// A user of this key, or else the tenant, has a secret of so many bytes that nobody has sealed.
    public static func secret(_ name: String, bytes: Int, of key: String? = nil) -> Given {
        Given(
            """
            insert into jobrunner.secrets (tenant_id, user_id, name, sealed)
            select t.id, coalesce(u.id, 0), '\(name)', '\\x02'::bytea || k.id || decode(repeat('01', \(bytes - 9)), 'hex')
            from jobrunner.tenants as t
            join jobrunner.tenant_keys as k on k.tenant_id = t.id and k.retired_at is null
            left join jobrunner.users as u on u.key = \(literal(key))
            """)
    }
    /// The access token is stored as these sealed bytes, and good for an hour.
    public static func accessToken(as bytes: [UInt8]) -> Given {
        update("renewals", "access_token = \(bytea(bytes)), good_until = \(ahead("1 h"))")
    }
    /// An access token was good until just now.
    public static func expiredToken() -> Given {
        update("renewals", "good_until = \(ago("1 s"))", "access_token is not null")
    }
    /// A run of a user's, or of nobody, has begun to renew a credential and not ended it.
    public static func renewing(_ credential: String, of key: String, job: String? = nil) -> Given {
        Given(
            """
            insert into jobrunner.renewals
              (tenant_id, user_id, credential, lease, leased_until, job_user_id, job_name, fence)
            select tenant_id, id, '\(credential)', gen_random_uuid(), \(ahead("1 hour")),
              \(job.map { "id, '\($0)', 4711" } ?? "null, null, null")
            from jobrunner.users where key = '\(key)'
            """)
    }
    private static func bytea(_ bytes: [UInt8]) -> String {
        "'\\x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
}
