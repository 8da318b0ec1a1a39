public import Basics

/// The external system, shared by all users of a tenant.
public struct Source: Sendable, Equatable {
    /// What budget and breaker are shared by; files with one id must say the same of it.
    public var id: String
    /// `scheme://host[:port][/prefix]` without a trailing slash; a tenant may override it.
    ///
    /// As the file has it, it may hold `{user.x}`; as a run has it, it does not (`JobFile.resolved(for:)`).
    public var base: String
    /// What is sent to it may go over http, which anybody on the way can read.
    public var isInsecure = false
    /// What the source speaks besides plain REST; nil means nothing.
    public var preset: Preset?
    /// How a request proves whose it is.
    @Boxed public var auth: Authentication
    /// Limit of one request.
    public var timeout: Duration
    /// In-run retries of one request.
    public var retry: RetryRule
    /// What the source allows; nil means as much as we like.
    public var rate: Rate?
    /// Header fields sent with every request.
    public var headers: [NamedTemplate]
    /// Of times that name no offset; nil when the file does not say.
    public var zone: ZoneRule?
    /// What users may choose of a host that a placeholder stands in: names, or `*` in front of one.
    public var hosts: [String] = []
    /// Secrets that records of other jobs bring; all others are set by people alone.
    public var secrets: [TakenSecret] = []
    /// Errors quote the beginning of an answer that is refused; nil means where no secret is sent or brought.
    public var excerpts: Bool? = nil

    /// The host of `base` that the user of a run has chosen; nil where the file or the tenant names it.
    public internal(set) var chosenHost: String? = nil
    /// Nothing but a pattern allows the host of `base`: its address must be public.
    public internal(set) var reachesPublicOnly = false
    /// The same of the token endpoint.
    public internal(set) var tokenReachesPublicOnly = false
    /// An attribute of the run's user stands in an address, so that a token is no other user's.
    public internal(set) var isOfUser = false
}

/// A secret that is taken from records of another job.
public struct TakenSecret: Sendable, Equatable {
    /// The x of `{secret.x}`.
    public var name: String
    /// The entity whose records bring it: `app.job.entity`.
    public var from: String
}

/// Where the time zone of a source's times is named.
public enum ZoneRule: Sendable, Equatable {
    /// By its name or its offset, which the file's check has found.
    case named(String)
    /// By an attribute of the user.
    case attribute(String)
}

/// How a request proves whose it is; secrets stay placeholders until it is sent.
public enum Authentication: Sendable, Equatable {
    case none
    case basic(user: Template, password: Template)
    case bearer(token: Template)
    case header(name: String, value: Template)
    case query(name: String, value: Template)
    /// RFC 6749, 4.4: the client's own access token.
    case oauth2Client(OAuth2)
    /// RFC 6749, 6: access tokens for a user's refresh token, which may rotate.
    case oauth2Refresh(OAuth2, refreshToken: String)
    /// RFC 6749, 4.3: a user's name and password, where a server still takes them.
    case oauth2Password(OAuth2, user: Template, password: Template)
    /// RFC 7523, 2.1: an access token for an assertion that the client signs.
    case oauth2JWT(OAuth2, Assertion)
    /// A call that answers with what the requests are signed with.
    case session(SessionSignIn)
    /// Signed requests; public database only (CloudKit Web Services, server-to-server keys).
    case cloudkitServer(keyID: Template, privateKey: Template)
    /// A user's web auth token, the secret of that name; rotating ones are stored with the page.
    case cloudkitUser(apiToken: Template, webAuthToken: String, rotates: Bool)
}

/// Where access tokens come from.
public struct OAuth2: Sendable, Equatable {
    /// Whole address of the token endpoint; https as `Source.base` is.
    ///
    /// It may hold `{user.x}` as `Source.base` may.
    public var tokenURL: String
    /// The client's id; empty where an assertion says who asks.
    public var clientID: Template
    /// The client's secret; nil means a public client.
    public var clientSecret: Template?
    /// What is asked for; nil means what the server gives.
    public var scope: String?
    /// How the client proves itself where it has a secret.
    public var clientAuth = ClientAuth.basic
    /// What the server wants besides, such as `audience`.
    public var parameters: [NamedTemplate] = []

    /// How a client proves itself to the token endpoint (RFC 6749, 2.3.1).
    public enum ClientAuth: String, Sendable, CaseIterable { case basic, body }
}

/// What a client signs to be given an access token (RFC 7523).
public struct Assertion: Sendable, Equatable {
    /// The private key in PEM, RSA or on curve P-256.
    public var key = Template(pieces: [])
    /// How the server calls the key: `kid`.
    public var keyID: Template?
    /// What it states, such as `iss`; when and for whom it is made is added.
    public var claims: [NamedTemplate] = []
}

/// A sign-in whose answer is sent with the requests.
public struct SessionSignIn: Sendable, Equatable {
    /// Where the token is in the answer to the login.
    public enum TokenPlace: Sendable, Equatable {
        case body(Path)
        case header(String)
        case cookie(String)
    }
    /// Where requests have it.
    public enum Sent: Sendable, Equatable {
        case header(String, value: Template)
        case query(String, value: Template)
    }
    /// A name and a password that prove to a login whose it is.
    public struct Basic: Sendable, Equatable {
        /// The name.
        public var user: Template
        /// The password, which may be empty.
        public var password: Template
    }
    /// What signs in.
    public var login: Request
    /// The address that the login is below, as `OAuth2.tokenURL` is one; nil means the source's own.
    public var base: String?
    /// What the login is signed with; nil means that it says by itself whose it is.
    public var basic: Basic?
    /// Where the token is in its answer.
    public var tokenAt: TokenPlace
    /// Where requests have it, as `{session.token}`.
    public var sent: Sent
    /// How long it is sent before the next login; one that the source refuses ends sooner.
    public var lasts: Duration
}

/// A protocol that a source speaks.
public enum Preset: Sendable, Equatable {
    case cloudkit(CloudKitAddress)
}

/// The database of a CloudKit container that a source stands for.
public struct CloudKitAddress: Sendable, Equatable {
    /// Which environment.
    public enum Environment: String, Sendable, CaseIterable { case development, production }
    /// Which database; a server's key reaches the public one only.
    public enum Database: String, Sendable, CaseIterable {
        case `public`, `private`, shared
    }
    /// Such as `iCloud.com.example.app`.
    public var container: String
    /// Which environment.
    public var environment: Environment
    /// Which database.
    public var database: Database

    /// `/database/1/<container>/<environment>/<database>`, to which an operation's name is added.
    public var path: String {
        "/database/1/\(container)/\(environment.rawValue)/\(database.rawValue)"
    }
    /// The address of Apple's service; a tenant may override it like any other base.
    public static let base = "https://api.apple-cloudkit.com"
    /// Records and operations in one request at most.
    public static let batchMax = 200
}

/// Requests a source allows, shared by all workers.
public struct Rate: Sendable, Equatable {
    /// Requests a second.
    public var perSecond: Double?
    /// Requests at the same time.
    public var concurrent: Int?
}

/// In-run retries of one request; never of 401, 421 or another 4xx.
public struct RetryRule: Sendable, Equatable {
    /// A sort of failure that may pass by itself.
    public enum Class: Sendable, Equatable {
        case network
        case timeout
        case status(Int)
        /// `5xx`
        case serverErrors
    }
    /// What a server counts its wait in.
    public enum WaitUnit: String, Sendable, CaseIterable {
        case seconds = "s"
        case milliseconds = "ms"
    }
    /// Where a server says how long to wait.
    public enum WaitSource: Sendable, Equatable {
        case header(String, unit: WaitUnit = .seconds)
        case body(Path, unit: WaitUnit = .seconds)
    }
    /// Requests in all, the first included; 1 means no retry.
    public var attempts: Int
    /// Wait before the second attempt.
    public var first: Duration
    /// What each wait is multiplied by for the next.
    public var factor: Double
    /// Share of the wait that is random, 0…1.
    public var jitter: Double
    /// The failures that are retried.
    public var on: [Class]
    /// Where a server's own wait is looked for, in order.
    public var waitFrom: [WaitSource]
}
