import HTTP
import JobFiles
import JobQueue

/// Whom a run asks for the token that its requests are signed with, and what it makes of the answer.
protocol TokenIssuer {
    /// What the token is asked for; another purpose takes another token.
    var purpose: String { get }
    /// The secrets that the token comes of.
    var secretNames: [String] { get }
    /// Those of them that the client proves itself with; the others are the user's.
    var clientSecretNames: [String] { get }
    /// Something of a user that is no secret stands in the request.
    var namesUser: Bool { get }
    /// Name of the secret that the answer may replace; nil when there is none.
    var refreshToken: String? { get }
    /// It is asked like the source itself, within its budget.
    var isOfSource: Bool { get }

    /// The request, with the secrets as they are, as of now.
    func request(_ secrets: SourceSecrets, nowUnixSeconds: Int) throws -> HTTPRequest

    /// Reads the answer; `clientIsUsers`: a secret of the user stands for the client.
    ///
    /// Throws how the run ends where there is no token, or one that can't be used: nothing of such an answer is kept.
    func issued(by response: HTTPResponse, clientIsUsers: Bool, nowUnixSeconds: Int) throws
        -> IssuedToken

    /// Signs a request.
    func sign(_ request: inout HTTPRequest, with token: String, _ secrets: SourceSecrets) throws
}

/// What a token server, or a login, has answered.
struct IssuedToken {
    var text: String
    /// The refresh token that takes the old one's place; nil when that stays.
    var refreshToken: String?
    var validity: Duration
}
