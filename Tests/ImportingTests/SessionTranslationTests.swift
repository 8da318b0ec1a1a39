import Testing

@testable import Importing

@Suite struct SessionTranslationTests {
    private func helpdesk(_ authenticator: String) -> Helpdesk {
        var helpdesk = Helpdesk()
        helpdesk.authenticator = authenticator
        helpdesk.properties += "\nlogin: { type: string }\nregion: { type: string, enum: [eu, us] }"
        helpdesk.required = "[api_key, login, region]"
        return helpdesk
    }

    private func session(
        _ requester: String, path: String = "[token]", sent: String = "{ type: Bearer }",
        lasts: String = "PT2H"
    ) -> String {
        """
        { type: SessionTokenAuthenticator, login_requester: { type: HttpRequester, \(requester) }, session_token_path: \(path), expiration_duration: \(lasts), request_authentication: \(sent) }
        """
    }

    @Test func `a call that signs in becomes a session, below the base that it shares`() throws {
        let authenticator = session(
            "url_base: \"https://api.helpdesk.example/auth\", path: login, http_method: POST, request_body_json: { user: \"{{ config['login'] }}\", key: \"{{ config['api_key'] }}\" }",
            path: "[data, token]")
        let file = try helpdesk(authenticator).file()
        #expect(
            file.contains(
                """
                  base: "https://api.helpdesk.example"
                  auth:
                    type: session
                    login:
                      method: POST
                      path: /auth/login
                      body: { user: "{user.helpdesk_login}", key: "{secret.helpdesk_api_key}" }
                    token_at: data.token
                    lasts: 2h

                """))
        #expect(file.contains("request: { path: /v2/tickets }"))
    }

    @Test func `a login elsewhere, signed with a name and a password, sends its token as told`()
        throws
    {
        let authenticator = session(
            "url_base: \"https://login.helpdesk.example\", path: token, http_method: POST, authenticator: { type: BasicHttpAuthenticator, username: \"{{ config['login'] }}\", password: \"{{ config['api_key'] }}\" }, request_body_data: { grant: one }",
            sent:
                "{ type: ApiKey, inject_into: { type: RequestOption, inject_into: header, field_name: X-Token } }",
            lasts: "PT1H")
        #expect(
            try helpdesk(authenticator).file().contains(
                """
                  auth:
                    type: session
                    login:
                      method: POST
                      path: /token
                      form: { grant: one }
                    base: "https://login.helpdesk.example"
                    token_at: token
                    basic: { user: "{user.helpdesk_login}", password: "{secret.helpdesk_api_key}" }
                    send: { header: X-Token }

                """))
    }

    @Test func `a client's grant that names its user is a session of that user`() throws {
        let authenticator = """
            { type: OAuthAuthenticator, token_refresh_endpoint: "https://api.helpdesk.example/token", grant_type: client_credentials, client_id: "{{ config['client'] }}", client_secret: "{{ config['api_key'] }}", refresh_request_body: { subject: "{{ config['login'] }}" } }
            """
        #expect(
            try helpdesk(authenticator).file().contains(
                """
                    login:
                      method: POST
                      path: /token
                      form:
                        grant_type: client_credentials
                        client_id: "{secret.helpdesk_client}"
                        client_secret: "{secret.helpdesk_api_key}"
                        subject: "{user.helpdesk_login}"
                    token_at: access_token

                """))
    }

    @Test func `a key in the body stands in each request`() throws {
        let file = try helpdesk(
            "{ type: ApiKeyAuthenticator, api_token: \"{{ config['api_key'] }}\", inject_into: { type: RequestOption, inject_into: body_data, field_name: k } }"
        ).file()
        #expect(!file.contains("auth:"))
        #expect(
            file.contains(
                "method: GET\n      path: /tickets\n      form: { k: \"{secret.helpdesk_api_key}\" }"
            ))
    }

    @Test(arguments: [
        // What stands in the login, what is left of it.
        ("type: CustomRequester, class_name: x.Y", "PT1H", "Python that signs in"),
        (
            "url_base: \"https://api.helpdesk.example\", path: l, request_parameters: { k: \"{{ range(3) }}\" }",
            "PT1H", "a part of the login can't be said"
        ),
        (
            "url_base: \"https://api.helpdesk.example\", path: l, request_parameters: { k: \"{{ config['api_key'] }}\" }",
            "\"7200\"", "a time that is none by ISO 8601"
        ),
        (
            "url_base: \"https://api.helpdesk.example\", path: l, request_parameters: { k: x }",
            "PT1H", "the login holds no {secret.name}"
        ),
    ])
    func `a login that can't be said is left`(requester: String, lasts: String, why: String) throws
    {
        let left = try helpdesk(session(requester, lasts: lasts)).left()
        #expect(left.contains { $0.contains(why) }, "\(left)")
    }

    @Test func `a refresh token at an address with a secret is left`() throws {
        let left = try helpdesk(
            """
            { type: OAuthAuthenticator, token_refresh_endpoint: "https://login.helpdesk.example/{{ config['api_key'] }}/token", client_id: "{{ config['client'] }}", client_secret: "{{ config['key'] }}", refresh_token: "{{ config['refresh'] }}" }
            """
        ).left()
        #expect(left.contains { $0.contains("a secret in the address of the token endpoint") })
    }
}
