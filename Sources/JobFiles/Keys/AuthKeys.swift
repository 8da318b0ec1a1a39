import JSON

/// A sign-in as a file writes it: what each type has of its own.
private struct WrittenAuth {
    var type = "none"
    var user = Template(pieces: [])
    var password = Template(pieces: [])
    var token = Template(pieces: [])
    var name = ""
    var value = Template(pieces: [])
    var client = OAuth2(tokenURL: "", clientID: Template(pieces: []))
    var refreshToken = ""
    var keyID = Template(pieces: [])
    var privateKey = Template(pieces: [])
    var apiToken = Template(pieces: [])
    var webAuthToken = ""
    var rotates = true
    var session = SessionSignIn.blank
    var assertion = Assertion()

    /// The client's secret where a client must prove itself.
    var clientSecret: Template {
        get { client.clientSecret ?? Template(pieces: []) }
        set { client.clientSecret = newValue }
    }
}

extension Mapping where Model == WrittenAuth {
    fileprivate static let auth = Mapping(
        "auth", "How a request proves whose it is.", blank: WrittenAuth(),
        choice: Choice(
            name: "type", noun: "type",
            meaning: "How a request proves whose it is; the type decides the other keys.",
            place: \.type, variants: types),
        check: { place, auth in
            let isCloudKit = place.reading.scope.isCloudKit
            if let context = types.first(where: { $0.word == auth.type })?.context,
                !context.fits(isPreset: isCloudKit)
            {
                place.report(
                    "type",
                    isCloudKit
                        ? "preset cloudkit signs in with cloudkit_server or cloudkit_user, not \"\(auth.type)\""
                        : "type \"\(auth.type)\" needs source.preset: cloudkit")
            }
            checkClient(place, auth)
            checkBasic(place, auth)
        })

    /// A file is no place for what proves identity, wherever of the two it stands.
    private static func checkBasic(_ place: Place, _ auth: WrittenAuth) {
        guard auth.type == "basic", (auth.user.secretNames + auth.password.secretNames).isEmpty
        else { return }
        guard let node = place.node["password"] ?? place.node["user"] else { return }
        place.reading.add(node, "expected a placeholder {secret.name} in user or password")
    }

    private static let types = [
        word("none", "Nothing is sent.", in: .withoutPreset),
        word("basic", "Sends `Authorization: Basic …`.", in: .withoutPreset) {
            required("user", \.user, .template(.secret), "The name of the user.")
            usual(
                "password", \.password, .template(.secret), without: "empty",
                "The password. It or the name holds a `{secret.name}`: some sources take a key for the name, and no password."
            ).when { !$0.password.pieces.isEmpty }
        },
        word("bearer", "Sends `Authorization: Bearer …`.", in: .withoutPreset) {
            required("token", \.token, .secret, "The token.")
        },
        word("header", "Sends a header field.", in: .withoutPreset) {
            required("name", \.name, .ownHeaderName, nameMeaning)
            required("value", \.value, .secret, "Its value.")
        },
        word("query", "Sends a query parameter.", in: .withoutPreset) {
            required("name", \.name, .text, nameMeaning)
            required("value", \.value, .secret, "Its value.")
        },
        word(
            "oauth2_client",
            "Fetches a token of the client's own and sends `Authorization: Bearer …`.",
            in: .withoutPreset
        ) {
            tokenURL
            clientID
            required("client_secret", \.clientSecret, .secret, "The secret of the client.")
            scope
            clientAuth
            parameters
        },
        word(
            "oauth2_refresh",
            """
            Fetches a token for the user's refresh token and sends `Authorization: Bearer …`. A rotated \
            refresh token is stored.
            """, in: .withoutPreset,
            rules: [.when(.isThere("client_auth"), [.needs(["client_secret"])])]
        ) {
            tokenURL
            clientID
            optional(
                "client_secret", \.client.clientSecret, .secret, without: "a public client",
                "The secret of the client.")
            required(
                "refresh_token", \.refreshToken, .oneSecret,
                "The user's refresh token. It is one whole secret, since the source may replace it."
            )
            scope
            clientAuth
            parameters
        },
        word(
            "oauth2_password",
            "Fetches a token for a user's name and password and sends `Authorization: Bearer …`.",
            in: .withoutPreset,
            rules: [.when(.isThere("client_auth"), [.needs(["client_secret"])])]
        ) {
            tokenURL
            clientID
            optional(
                "client_secret", \.client.clientSecret, .secret, without: "a public client",
                "The secret of the client.")
            required("user", \.user, .template(.secret), "The name of the user.")
            required("password", \.password, .secret, "The password.")
            scope
            clientAuth
            parameters
        },
        word(
            "oauth2_jwt",
            """
            Fetches a token for what a private key signs (RFC 7523), as a service account has one, and sends \
            `Authorization: Bearer …`.
            """, in: .withoutPreset,
            rules: [.when(.isThere("client_auth"), [.needs(["client_secret"])])]
        ) {
            tokenURL
            required(
                "key", \.assertion.key, .secret,
                "The private key in PEM: RSA, which signs by RS256, or on curve P-256, by ES256.")
            optional(
                "key_id", \.assertion.keyID, .template(.secret), without: "none",
                "How the server calls the key: `kid` of the assertion.")
            required(
                "claims", \.assertion.claims, .claims,
                """
                What the assertion states, such as `iss`, `sub` and `scope`. `aud` is the `token_url` where nothing else \
                is said; `iat`, `exp` and `jti` are made here.
                """)
            usual(
                "client_id", \.client.clientID, .template(.secret), without: "none is sent",
                "The id of the client, where the form must have it."
            ).when { !$0.client.clientID.pieces.isEmpty }
            optional(
                "client_secret", \.client.clientSecret, .secret, without: "none",
                "The secret of the client, where the server wants one besides.")
            scope
            clientAuth
            parameters
        },
        word(
            "session",
            """
            Signs in by a call of its own and sends what that is answered with. One run signs in, and the others wait for \
            it. On 401 it is done once more.
            """, in: .withoutPreset
        ) {
            required(
                "login", \.session.login, Mapping<Request>.ofLogin.form,
                "The request that signs in.")
            optional(
                "base", \.session.base, .text(.tokenURL) { $1.tokenURL($0) },
                without: "the address of the source",
                """
                The address that the login is below, where it is another one than the source's. It is https as `base` is, and may \
                hold `{user.x}`, as `token_url` is and may. The header fields of the source are not sent there.
                """)
            optional(
                "basic", \.session.basic, Mapping<SessionSignIn.Basic>.basic.form,
                without: "the login says by itself whose it is",
                "A name and a password that the login is signed with.")
            required(
                "token_at", \.session.tokenAt, .sessionToken,
                "Where the token is in its answer: at a path of the body, or in a header field or a cookie."
            )
            usual(
                "send", \.session.sent, Form<SessionSignIn.Sent>.send,
                without: "`{ header: Authorization, value: \"Bearer {session.token}\" }`",
                "Where requests have the token."
            ).when { $0.session.sent != .bearer }
            standard(
                "lasts", \.session.lasts, .duration(.seconds(10) ... .days(30)),
                "How long a token is sent before the next login.")
        },
        word(
            "cloudkit_server", "Signs each request. It reaches database `public` only.",
            in: .withPreset
        ) {
            required("key_id", \.keyID, .template(.secret), "The id of the key.")
            required("private_key", \.privateKey, .secret, "The private key in PEM.")
        },
        word(
            "cloudkit_user",
            "Sends query parameters. A rotated token is stored with the page it came with.",
            in: .withPreset
        ) {
            required("api_token", \.apiToken, .secret, "The API token of the container.")
            required(
                "web_auth_token", \.webAuthToken, .oneSecret,
                "The user's web auth token. It is one whole secret, since the source may replace it."
            )
            standard(
                "rotates", \.rotates, .boolean,
                "Whether answers bring a new token, which replaces this one.")
        },
    ]

    private static let nameMeaning = "The name of the header field or query parameter."

    private static let tokenURL = required(
        "token_url", \.client.tokenURL, .text(.tokenURL) { $1.tokenURL($0) },
        """
        The address of the token endpoint. It is https as the source's `base` is. It may hold \
        `{user.x}` as `base` may.
        """
    )
    private static let clientID = required(
        "client_id", \.client.clientID, .template(.secret), "The id of the client.")
    private static let scope = optional(
        "scope", \.client.scope, .text, without: "what the server gives", "What is asked for.")
    private static let clientAuth = standard(
        "client_auth", \.client.clientAuth, .word(),
        """
        How the client proves itself to the token endpoint: `basic` by `Authorization: Basic …`, `body` by `client_id` \
        and `client_secret` in the form.
        """
    ).when { $0.client.clientSecret != nil }
    private static let parameters = usual(
        "parameters", \.client.parameters, .tokenParameters,
        "What the token endpoint wants besides, by name, such as `audience`. They may hold `{secret.x}`."
    )

    @Sendable private static func checkClient(_ place: Place, _ auth: WrittenAuth) {
        switch auth.type {
        case "session":
            // What is wrong by itself says more than that it proves nothing.
            let isUnread = auth.session.basic == nil && place.has("basic")
            if auth.session.secretNames.isEmpty, !isUnread {
                place.report(
                    "login", "the login holds no {secret.name}, so that it proves nothing")
            }
            if auth.session.base?.hasSuffix("/") == true {
                place.report("base", "an address that paths are below has no trailing slash")
            }
        case "oauth2_jwt" where !auth.assertion.claims.contains { $0.name == "iss" }:
            place.report("claims", "the assertion does not say who signs it; add iss")
        case "oauth2_jwt"
        where auth.client.clientSecret != nil && auth.client.clientID.pieces.isEmpty:
            place.report("client_secret", "a secret proves a client; add client_id")
        case "oauth2_refresh", "oauth2_password", "oauth2_jwt":
            guard !place.has("client_secret") else { return }
            place.report(
                ifThere: "client_auth",
                "a client without client_secret has nothing to prove; leave client_auth out")
        case "oauth2_client":
            // A token of the client's own is shared by all users, so that nothing of one may be in it.
            for parameter in auth.client.parameters {
                let name = parameter.value.placeholders.lazy.compactMap { placeholder in
                    if case .user(let name) = placeholder { name } else { nil }
                }.first
                guard let name else { continue }
                place["parameters"]?.report(
                    parameter.name,
                    "a client's own token is shared by all users; {user.\(name)} is one's own")
            }
        default: break
        }
    }
}

extension Form where Value == Authentication {
    static let auth = Mapping<WrittenAuth>.auth.form.map(
        { written, _ -> Authentication? in
            switch written.type {
            case "basic": .basic(user: written.user, password: written.password)
            case "bearer": .bearer(token: written.token)
            case "header": .header(name: written.name, value: written.value)
            case "query": .query(name: written.name, value: written.value)
            case "oauth2_client": .oauth2Client(written.client)
            case "oauth2_refresh":
                .oauth2Refresh(written.client, refreshToken: written.refreshToken)
            case "oauth2_password":
                .oauth2Password(written.client, user: written.user, password: written.password)
            case "oauth2_jwt": .oauth2JWT(written.client, written.assertion)
            case "session": .session(written.session)
            case "cloudkit_server":
                .cloudkitServer(keyID: written.keyID, privateKey: written.privateKey)
            case "cloudkit_user":
                .cloudkitUser(
                    apiToken: written.apiToken, webAuthToken: written.webAuthToken,
                    rotates: written.rotates)
            default: Authentication.none
            }
        },
        back: { auth in
            var written = WrittenAuth()
            switch auth {
            case .none: break
            case .basic(let user, let password):
                (written.type, written.user, written.password) = ("basic", user, password)
            case .bearer(let token): (written.type, written.token) = ("bearer", token)
            case .header(let name, let value):
                (written.type, written.name, written.value) = ("header", name, value)
            case .query(let name, let value):
                (written.type, written.name, written.value) = ("query", name, value)
            case .oauth2Client(let client):
                (written.type, written.client) = ("oauth2_client", client)
            case .oauth2Refresh(let client, let token):
                (written.type, written.client, written.refreshToken) = (
                    "oauth2_refresh", client, token
                )
            case .oauth2Password(let client, let user, let password):
                (written.type, written.client) = ("oauth2_password", client)
                (written.user, written.password) = (user, password)
            case .oauth2JWT(let client, let assertion):
                (written.type, written.client, written.assertion) = (
                    "oauth2_jwt", client, assertion
                )
            case .session(let session): (written.type, written.session) = ("session", session)
            case .cloudkitServer(let keyID, let privateKey):
                (written.type, written.keyID, written.privateKey) = (
                    "cloudkit_server", keyID, privateKey
                )
            case .cloudkitUser(let apiToken, let webAuthToken, let rotates):
                (written.type, written.apiToken, written.webAuthToken, written.rotates) = (
                    "cloudkit_user", apiToken, webAuthToken, rotates
                )
            }
            return written
        })
}

extension Form where Value == String {
    /// A secret that the source may replace, so it is one whole secret.
    fileprivate static let oneSecret = Form(
        type: .formed(.oneSecret),
        read: { node, reading in
            guard let template = Form<Template>.secret.read(node, reading) else { return nil }
            guard case .secret(let name)? = template.lonePlaceholder else {
                reading.add(
                    node, "expected exactly one {secret.name}, since the source may replace it")
                return nil
            }
            return name
        }, write: { .string("{secret.\($0)}") })
}
