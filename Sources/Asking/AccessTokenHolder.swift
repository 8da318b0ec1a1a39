import Basics
import HTTP
import JobFiles
import JobQueue
import Postgres
import Secrets
import Telemetry

/// The token that one run signs its requests with: an access token of OAuth 2.0, or what a login was answered with.
///
/// A token is renewed by one run at a time, over all jobs, workers and processes: a refresh token that
/// serves once would be spent twice, for which some servers revoke the whole grant.
final class AccessTokenHolder {
    /// A request may be under way when its token ends.
    private static let marginMax = Duration.seconds(60)
    /// A token server that is slower than this is taken for unavailable.
    private static let requestMax = Duration.seconds(10)
    /// What waiting for the source's budget may take, before a login.
    private static let budgetMax = Duration.seconds(5)
    /// What storing the answer may take.
    private static let storeMax = Duration.seconds(5)

    private let issuer: any TokenIssuer
    private let source: Source
    private let base: String
    private let claim: Claim
    private let tools: SourceTools
    private let credentials: Credentials
    private let deadline: ContinuousClock.Instant
    /// What requests are signed with at present.
    private var current: AccessTokens.Token?
    /// The sealed token that the source or this worker's key refused.
    private var refused: [UInt8]?
    /// Requests that were sent to the token server.
    private(set) var requests = 0

    /// Nil where the source wants no access token.
    init?(
        for source: Source, at base: String, _ claim: Claim, _ tools: SourceTools,
        _ credentials: Credentials, deadline: ContinuousClock.Instant
    ) {
        guard
            let issuer: any TokenIssuer = TokenRequest(for: source.auth)
                ?? SessionLogin(for: source, at: base)
        else { return nil }
        self.issuer = issuer
        self.source = source
        self.base = base
        self.claim = claim
        self.tools = tools
        self.credentials = credentials
        self.deadline = deadline
    }

    /// Signs a request with a good token: this process's, the database's, or a new one of the token server or login.
    ///
    /// `secrets` renders with the secrets as they are at the time. Throws `RunEnd.needsReauth` when
    /// the token server refuses the credential, `deferred` when others keep it.
    ///
    /// `nowUnixSeconds`: wall time, which a wait that the answer names is compared with.
    func sign(
        _ request: inout HTTPRequest, nowUnixSeconds now: Int, _ secrets: () -> SourceSecrets
    ) async throws {
        let token = try await CredentialTurn(name: source.id, deadline: deadline).wait {
            try await found(secrets, now)
        }
        current = token
        credentials.protect(Array(token.text.utf8))
        try issuer.sign(&request, with: token.text, secrets())
    }

    /// Drops the token that the source has refused; false: there was none.
    func dropRefused() -> Bool {
        guard let token = current else { return false }
        tools.tokens.drop(token, of: key)
        refused = token.sealed
        current = nil
        return true
    }

    /// Nil when another run renews the token at present.
    private func found(
        _ secrets: () -> SourceSecrets, _ now: Int
    ) async throws -> AccessTokens.Token? {
        let key = key
        if let kept = tools.tokens.token(of: key) { return kept }
        guard tools.tokens.beginRenewal(of: key) else { return nil }
        defer { tools.tokens.endRenewal(of: key) }
        let lease = try await tools.queue.leaseCredential(
            key.credential, refused: refused,
            for: requestMax + Self.storeMax + Self.storeMax
                + (issuer.isOfSource ? Self.budgetMax : .zero),
            claim: claim.fence == 0 ? nil : claim, deadline: deadline)
        let token: AccessTokens.Token?
        if let id = lease.lease {
            token = try await renewed(key.credential, lease: id, lease.secrets, secrets, now)
        } else {
            token = await opened(lease.accessToken, for: lease.goodFor)
        }
        // The secrets, and so the key, may be others by now.
        if let token { tools.tokens.keep(token, of: self.key) }
        return token
    }

    /// One that does not open was sealed with another key, and one that no header may hold was kept by an older
    /// program: it is renewed.
    private func opened(
        _ sealed: [UInt8]?, for span: Duration
    ) async -> AccessTokens.Token? {
        guard let sealed else { return nil }
        guard let value = await credentials.opened(sealed, for: place),
            value.withBytes({ CredentialForm.accessToken.fault(of: $0) }) == nil
        else {
            refused = sealed
            return nil
        }
        return AccessTokens.Token(
            text: value.withBytes { String(decoding: $0, as: UTF8.self) }, sealed: sealed,
            until: .now + span)
    }

    /// Asks the token server and stores what came of it.
    ///
    /// No deadline and no stop ends this midway: a refresh token that was spent and whose successor
    /// was not stored can't be had again.
    private func renewed(
        _ credential: RenewedCredential, lease: String, _ stored: [SealedSecret],
        _ secrets: () -> SourceSecrets, _ now: Int
    ) async throws -> AccessTokens.Token {
        do {
            try await credentials.adopt(stored)
            var request = try issuer.request(secrets(), nowUnixSeconds: now)
            request.isPublicOnly =
                issuer.isOfSource ? source.reachesPublicOnly : source.tokenReachesPublicOnly
            if issuer.isOfSource { try await takeBudget() }
            let asked = request
            let client = tools.client
            let patience = requestMax
            requests += 1
            let began = ContinuousClock.now
            let response = try await Task {
                try await client.send(asked, deadline: .now + patience)
            }.value
            if issuer.isOfSource {
                tools.metrics.add(to: .sourceRequests, source.id, "\(response.status / 100)xx")
                tools.metrics.observe(.now - began, in: .sourceDuration, source.id)
            }
            let issued = try issuer.issued(
                by: response,
                clientIsUsers: credentials.known(issuer.clientSecretNames).contains {
                    $0.userID != 0
                }, nowUnixSeconds: now)
            if let name = issuer.refreshToken, let next = issued.refreshToken,
                try secrets().text(ofSecret: name) != next
            {
                try credentials.replace(with: NewCredential(name: name, value: next))
            }
            return try await store(issued, credential, lease: lease)
        } catch {
            try? await credentials.store {
                .endRenewal(of: credential, lease: lease, accessToken: nil)
            }
            throw error
        }
    }

    /// A login is a request of the source's like any other; the request that it is for has passed the breaker.
    private func takeBudget() async throws {
        do {
            try await tools.budgets.take(
                tenant: credentials.tenantID, source: source, passesBreaker: true,
                until: min(deadline, .now + Self.budgetMax))
        } catch RunEnd.interrupted(.deadline) where .now < deadline {
            throw RunEnd.deferred(
                .rateLimited, message: "the budget of source \(source.id) left none for the login",
                wait: Self.budgetMax)
        }
    }

    private func store(
        _ issued: IssuedToken, _ credential: RenewedCredential, lease: String
    ) async throws -> AccessTokens.Token {
        let text = SecretValue(Array(issued.text.utf8))
        var sealed: [UInt8] = []
        let span = issued.validity - min(Self.marginMax, issued.validity / 2)
        try await credentials.store {
            sealed = try credentials.seal(text, for: place)
            return .endRenewal(
                of: credential, lease: lease, accessToken: sealed, goodFor: span)
        }
        return AccessTokens.Token(text: issued.text, sealed: sealed, until: .now + span)
    }

    private var requestMax: Duration { min(source.timeout, Self.requestMax) }

    /// A token is the user's where anything that it came of is.
    ///
    /// Sources that share a refresh token share the turn to spend it.
    private var key: AccessTokens.Key {
        let used = credentials.known(issuer.secretNames)
        let isUsers = issuer.namesUser || source.isOfUser || used.contains { $0.userID != 0 }
        return AccessTokens.Key(
            credential: RenewedCredential(
                tenantID: credentials.tenantID, userID: isUsers ? claim.userID : 0,
                name: issuer.refreshToken ?? source.id),
            purpose: purpose, versions: used.map(\.version))
    }

    /// What was issued for one host of the source is never sent to another.
    private var purpose: String {
        issuer.purpose + (source.chosenHost.map { " for \($0)" } ?? "")
    }

    /// A token that was asked for in other words, or for another address, opens nowhere.
    private var place: SecretPlace {
        SecretPlace(
            user: credentials.owner.userKey(of: key.credential.userID),
            name: "access token: \(purpose)", origins: [base])
    }
}
