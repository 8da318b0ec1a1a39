/// The keys of `auth`.
enum AuthKey: String, KeySet {
    case type

    static let title = "auth"
    static let meaning = "How a request proves whose it is."

    var key: KeyFacts {
        switch self {
        case .type:
            KeyFacts(
                .word(Self.all.map(\.word), noun: "type"), .required,
                "How a request proves whose it is; the type decides the other keys.")
        }
    }

    static var variants: Variants? { Variants(key: "type", all: all) }

    private static let all = [
        Variant("none", nil, "Nothing is sent.", in: .withoutPreset),
        Variant("basic", BasicKey.self, "Sends `Authorization: Basic …`.", in: .withoutPreset),
        Variant("bearer", BearerKey.self, "Sends `Authorization: Bearer …`.", in: .withoutPreset),
        Variant("header", ParameterKey.self, "Sends a header field.", in: .withoutPreset),
        Variant("query", ParameterKey.self, "Sends a query parameter.", in: .withoutPreset),
        Variant(
            "oauth2_client", OAuth2ClientKey.self,
            "Fetches a token of the client's own and sends `Authorization: Bearer …`.",
            in: .withoutPreset),
        Variant(
            "oauth2_refresh", OAuth2RefreshKey.self,
            "Fetches a token for the user's refresh token and sends `Authorization: Bearer …`. A rotated "
                + "refresh token is stored.", in: .withoutPreset),
        Variant(
            "cloudkit_server", CloudKitServerKey.self,
            "Signs each request. It reaches database `public` only.", in: .withPreset),
        Variant(
            "cloudkit_user", CloudKitUserKey.self,
            "Sends query parameters. A rotated token is stored with the page it came with.",
            in: .withPreset),
    ]
}

/// The keys of a sign-in of type `basic`.
enum BasicKey: String, KeySet {
    case user, password

    static let title = "basic"
    static let meaning = "HTTP's own sign-in."

    var key: KeyFacts {
        switch self {
        case .user: KeyFacts(.template, .required, "The name of the user.")
        case .password: KeyFacts(.formed(.secret), .required, "The password.")
        }
    }
}

/// The keys of a sign-in of type `bearer`.
enum BearerKey: String, KeySet {
    case token

    static let title = "bearer"
    static let meaning = "A token that stands for the user."

    var key: KeyFacts {
        switch self {
        case .token: KeyFacts(.formed(.secret), .required, "The token.")
        }
    }
}

/// The keys of a sign-in of type `header` or `query`.
enum ParameterKey: String, KeySet {
    case name, value

    static let title = "parameter"
    static let meaning = "A secret that is sent under a name."

    var key: KeyFacts {
        switch self {
        case .name: KeyFacts(.text, .required, "The name of the header field or query parameter.")
        case .value: KeyFacts(.formed(.secret), .required, "Its value.")
        }
    }
}

/// The keys that both sign-ins of OAuth 2 have.
enum OAuth2Keys {
    static let tokenURL = KeyFacts(
        .formed(.tokenURL), .required,
        "The address of the token endpoint. It is https, but for `localhost`, `127.0.0.1` and `[::1]`."
    )
    static let clientID = KeyFacts(.template, .required, "The id of the client.")
    static let scope = KeyFacts(.text, .optional("what the server gives"), "What is asked for.")
    static let clientAuth = KeyFacts(
        .words(of: OAuth2.ClientAuth.self), .default("basic"),
        "How the client proves itself to the token endpoint: `basic` by `Authorization: Basic …`, `body` by `client_id` "
            + "and `client_secret` in the form.")
    static let parameters = KeyFacts(
        .named(.template, by: .notEmpty, isFilled: true, except: ownParameters), .optional(nil),
        "What the token endpoint wants besides, by name, such as `audience`. They may hold `{secret.x}`."
    )
    /// What the form has of other keys.
    static let ownParameters = [
        "grant_type", "client_id", "client_secret", "refresh_token", "scope",
    ]
}

/// The keys of a sign-in of type `oauth2_client`.
enum OAuth2ClientKey: String, KeySet {
    case tokenURL = "token_url"
    case clientID = "client_id"
    case clientSecret = "client_secret"
    case scope
    case clientAuth = "client_auth"
    case parameters

    static let title = "oauth2_client"
    static let meaning = "A token of the client's own (RFC 6749, 4.4)."

    var key: KeyFacts {
        switch self {
        case .tokenURL: OAuth2Keys.tokenURL
        case .clientID: OAuth2Keys.clientID
        case .clientSecret: KeyFacts(.formed(.secret), .required, "The secret of the client.")
        case .scope: OAuth2Keys.scope
        case .clientAuth: OAuth2Keys.clientAuth
        case .parameters: OAuth2Keys.parameters
        }
    }
}

/// The keys of a sign-in of type `oauth2_refresh`.
enum OAuth2RefreshKey: String, KeySet {
    case tokenURL = "token_url"
    case clientID = "client_id"
    case clientSecret = "client_secret"
    case refreshToken = "refresh_token"
    case scope
    case clientAuth = "client_auth"
    case parameters

    static let title = "oauth2_refresh"
    static let meaning = "Access tokens for a user's refresh token (RFC 6749, 6)."
    static let rules: [KeyRule] = [.when(.isThere("client_auth"), [.needs(["client_secret"])])]

    var key: KeyFacts {
        switch self {
        case .tokenURL: OAuth2Keys.tokenURL
        case .clientID: OAuth2Keys.clientID
        case .clientSecret:
            KeyFacts(.formed(.secret), .optional("a public client"), "The secret of the client.")
        case .refreshToken:
            KeyFacts(
                .formed(.oneSecret), .required,
                "The user's refresh token. It is one whole secret, since the source may replace it."
            )
        case .scope: OAuth2Keys.scope
        case .clientAuth: OAuth2Keys.clientAuth
        case .parameters: OAuth2Keys.parameters
        }
    }
}

/// The keys of a sign-in of type `cloudkit_server`.
enum CloudKitServerKey: String, KeySet {
    case keyID = "key_id"
    case privateKey = "private_key"

    static let title = "cloudkit_server"
    static let meaning = "Signed requests of a server."

    var key: KeyFacts {
        switch self {
        case .keyID: KeyFacts(.template, .required, "The id of the key.")
        case .privateKey: KeyFacts(.formed(.secret), .required, "The private key in PEM.")
        }
    }
}

/// The keys of a sign-in of type `cloudkit_user`.
enum CloudKitUserKey: String, KeySet {
    case apiToken = "api_token"
    case webAuthToken = "web_auth_token"
    case rotates

    static let title = "cloudkit_user"
    static let meaning = "Requests for a user who signed in on the web."

    var key: KeyFacts {
        switch self {
        case .apiToken: KeyFacts(.formed(.secret), .required, "The API token of the container.")
        case .webAuthToken:
            KeyFacts(
                .formed(.oneSecret), .required,
                "The user's web auth token. It is one whole secret, since the source may replace it."
            )
        case .rotates:
            KeyFacts(
                .boolean, .default("true"),
                "Whether answers bring a new token, which replaces this one.")
        }
    }
}
