import Basics
import JSON
public import Postgres

/// A credential that its source renews, as `jobrunner.renewals` names it.
public struct RenewedCredential: Hashable, Sendable {
    /// Number of the tenant.
    public var tenantID: Int64
    /// Number of the user, 0 for the tenant's own.
    public var userID: Int64
    /// A source's id for access tokens, the secret's name for a token that rotates.
    public var name: String

    /// Names a credential.
    public init(tenantID: Int64, userID: Int64, name: String) {
        self.tenantID = tenantID
        self.userID = userID
        self.name = name
    }
}

/// What `lease_credential` answers.
public struct CredentialLease: Sendable {
    /// The caller may renew the credential; nil when the access token is good, or somebody else renews it.
    public var lease: String?
    /// The access token that was brought last, sealed, while it is good.
    public var accessToken: [UInt8]?
    /// For how long the access token is good.
    public var goodFor: Duration
    /// The secrets as they are stored now; empty without a lease.
    public var secrets: [SealedSecret]
}

extension Queue {
    /// Asks to be the one that renews a credential, until `span` is over or the claimed run ends.
    ///
    /// `refused`: the sealed access token that the source would not take. `claim` nil when no claimed run
    /// asks, and the span alone ends the lease.
    public func leaseCredential(
        _ credential: RenewedCredential, refused: [UInt8]?, for span: Duration, claim: Claim?,
        deadline: ContinuousClock.Instant
    ) async throws -> CredentialLease {
        let statement = Statement(
            """
            select lease::text, encode(access_token, 'hex'), good_for_ms, secrets
            from jobrunner.lease_credential($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            .int8(credential.tenantID), .int8(credential.userID), .text(credential.name),
            .optional(refused, Bind.bytes), .int8(Int64(span.wholeMilliseconds)),
            .optional(claim?.userID, Bind.int8), .optional(claim?.name, Bind.text),
            .optional(claim?.fence, Bind.int8))
        return try await call(statement, deadline: deadline) { rows in
            let row = try rows.only()
            return CredentialLease(
                lease: try row.optionalText(0),
                accessToken: try row.optionalText(1).flatMap(Hex.decode),
                goodFor: .milliseconds(try row.optionalInt(2) ?? 0),
                secrets: try sealedSecrets(row.optionalText(3)))
        }
    }

    /// The secrets of a user and its tenant as they are stored now.
    public func readSecrets(
        tenant: Int64, user: Int64, deadline: ContinuousClock.Instant
    ) async throws -> [SealedSecret] {
        let statement = Statement(
            "select jobrunner.sealed_secrets($1, $2)", .int8(tenant), .int8(user))
        return try await call(statement, deadline: deadline) {
            try sealedSecrets($0.only().optionalText(0))
        }
    }
}

extension Statement {
    /// Gives back a lease with the access token that came of it, sealed; nil when none did.
    public static func endRenewal(
        of credential: RenewedCredential, lease: String, accessToken: [UInt8]?,
        goodFor: Duration = .zero
    ) -> Statement {
        Statement(
            "select jobrunner.end_renewal($1, $2, $3, $4::text::uuid, $5, $6)",
            .int8(credential.tenantID), .int8(credential.userID), .text(credential.name),
            .text(lease), .optional(accessToken, Bind.bytes),
            .int8(Int64(goodFor.wholeMilliseconds)))
    }
}
