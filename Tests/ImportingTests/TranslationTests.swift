import JSON
import JobFiles
import Testing

@testable import Importing

@Suite struct TranslationTests {
    @Test func `a plain list becomes a file`() throws {
        #expect(
            try Helpdesk().file() == """
                version: 1
                job: helpdesk.refresh
                schedule: { every: 6h, deadline: 1h }
                source:
                  id: helpdesk
                  base: "https://api.helpdesk.example/v2"
                  auth: { type: bearer, token: "{secret.helpdesk_api_key}" }
                entities:
                  - entity: tickets
                    request: { path: /tickets }
                    page: { style: single }
                    records:
                      at: "tickets[]"
                      key: [id]
                      one_as_list: true
                      absent: empty
                      fields:
                        id: { at: id, type: text, required: true }
                        subject: { at: subject, type: text }
                        updated: { at: updated, type: text }
                    write: { table: helpdesk_tickets, mode: overwrite }

                """)
    }

    @Test
    func `a host of the configuration becomes an attribute with the hosts that it may choose`()
        throws
    {
        var helpdesk = Helpdesk()
        helpdesk.url = "https://{{ config['subdomain'] }}.helpdesk.example/v2"
        helpdesk.properties += "\nsubdomain: { type: string }"
        helpdesk.required = "[api_key, subdomain]"
        let file = try helpdesk.file()
        #expect(file.contains("base: \"https://{user.helpdesk_subdomain}.helpdesk.example/v2\""))
        #expect(file.contains("hosts: [\"*.helpdesk.example\"]"))
        #expect(file.contains("helpdesk_subdomain: {}"))
    }

    @Test func `a switch of the configuration becomes a map`() throws {
        var helpdesk = Helpdesk()
        helpdesk.url =
            "{{ 'https://sandbox.helpdesk.example/v2' if config.sandbox else 'https://api.helpdesk.example/v2' }}"
        helpdesk.properties += "\nsandbox: { type: boolean }"
        let file = try helpdesk.file()
        #expect(file.contains("base: \"https://{user.helpdesk_sandbox}/v2\""))
        #expect(
            file.contains(
                "map: { \"false\": api.helpdesk.example, \"true\": sandbox.helpdesk.example }"))
        #expect(file.contains("hosts: [api.helpdesk.example, sandbox.helpdesk.example]"))
    }

    @Test func `a key alone in basic sign-in needs no password`() throws {
        var helpdesk = Helpdesk()
        helpdesk.authenticator =
            "{ type: BasicHttpAuthenticator, username: \"{{ config['api_key'] }}\" }"
        #expect(
            try helpdesk.file().contains(
                "auth: { type: basic, user: \"{secret.helpdesk_api_key}\" }"))
    }

    @Test func `a refresh token is fetched as the manifest says`() throws {
        var helpdesk = Helpdesk()
        helpdesk.authenticator = """
            { type: OAuthAuthenticator, token_refresh_endpoint: "https://login.helpdesk.example/token", client_id: "{{ config['client_id'] }}", client_secret: "{{ config['client_secret'] }}", refresh_token: "{{ config['api_key'] }}", scopes: [read, list] }
            """
        let file = try helpdesk.file()
        #expect(file.contains("type: oauth2_refresh"))
        #expect(file.contains("scope: \"read list\""))
        #expect(file.contains("client_auth: body"))
        #expect(file.contains("refresh_token: \"{secret.helpdesk_api_key}\""))
    }

    @Test func `counted pages end as Airbyte ends them`() throws {
        var helpdesk = Helpdesk()
        helpdesk.retriever = """
            paginator:
              type: DefaultPaginator
              page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: page }
              page_size_option: { type: RequestOption, inject_into: request_parameter, field_name: limit }
              pagination_strategy: { type: PageIncrement, start_from_page: 1, page_size: 50 }
            """
        let file = try helpdesk.file()
        #expect(file.contains("page: { style: page, end: short_page, size: 50 }"))
        #expect(file.contains("query: { limit: \"{page.size}\", page: \"{page.token}\" }"))
    }

    @Test(arguments: [
        (
            "{{ response.meta.next }}", "{{ not response.get('meta', {}).get('next') }}",
            "style: token, token_at: meta.next"
        ),
        (
            "{{ response['next'] }}", "{{ response.has_more is false }}",
            "token_at: next, more_at: has_more"
        ),
        ("{{ last_record['id'] }}", "{{ last_page_size == 0 }}", "last: id"),
        (
            "{{ response['@odata.nextLink'] }}", "{{ false }}",
            "token_at: \"[\\\"@odata.nextLink\\\"]\""
        ),
        ("{{ response.tickets[-1].id }}", "{{ not response.has_more }}", "last: id"),
    ])
    func `a position in the answer becomes a token`(value: String, stop: String, expected: String)
        throws
    {
        var helpdesk = Helpdesk()
        helpdesk.retriever = """
            paginator:
              type: DefaultPaginator
              page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: cursor }
              pagination_strategy: { type: CursorPagination, cursor_value: "\(value)", stop_condition: "\(stop)" }
            """
        let file = try helpdesk.file()
        #expect(file.contains(expected))
        #expect(file.contains("cursor: \"{page.token}\""))
    }

    @Test(arguments: [
        ("{{ response.next }}", "style: next_url, url_at: next"),
        ("{{ headers['link']['next']['url'] }}", "style: link_header"),
    ])
    func `an address of the next page is followed`(value: String, expected: String) throws {
        var helpdesk = Helpdesk()
        helpdesk.retriever = """
            paginator:
              type: DefaultPaginator
              page_token_option: { type: RequestPath }
              pagination_strategy: { type: CursorPagination, cursor_value: "\(value)" }
            """
        #expect(try helpdesk.file().contains(expected))
    }

    @Test func `windows of a cursor are asked for from the start of the configuration`() throws {
        var helpdesk = Helpdesk()
        helpdesk.properties += "\nstart_date: { type: string, default: \"2024-01-01\" }"
        helpdesk.stream += """

            incremental_sync:
              type: DatetimeBasedCursor
              cursor_field: updated
              datetime_format: "%Y-%m-%d"
              start_datetime: { type: MinMaxDatetime, datetime: "{{ config['start_date'] }}", datetime_format: "%Y-%m-%d" }
              end_datetime: { type: MinMaxDatetime, datetime: "{{ now_utc() }}" }
              step: P30D
              lookback_window: P1D
              cursor_granularity: P1D
              start_time_option: { type: RequestOption, inject_into: request_parameter, field_name: from }
              end_time_option: { type: RequestOption, inject_into: request_parameter, field_name: to }
            """
        let file = try helpdesk.file()
        #expect(file.contains("query: { from: \"{since}\", to: \"{until}\" }"))
        for line in [
            "watermark: run_start", "format: yyyy-MM-dd", "start: \"{user.helpdesk_start_date}\"",
            "window: 30d",
            "overlap: 1d",
            "helpdesk_start_date: { type: timestamp, default: \"2024-01-01T00:00:00Z\" }",
        ] {
            #expect(file.contains(line), "\(line)")
        }
    }

    @Test func `a cursor that the source is not asked by tells versions apart`() throws {
        var helpdesk = Helpdesk()
        helpdesk.stream += """

            incremental_sync:
              type: DatetimeBasedCursor
              cursor_field: updated
              datetime_format: "%Y-%m-%dT%H:%M:%SZ"
              start_datetime: { type: MinMaxDatetime, datetime: "2024-01-01T00:00:00Z" }
            """
        let file = try helpdesk.file()
        #expect(file.contains("mode: newest_wins, newer_by: updated"))
        #expect(!file.contains("incremental"))
    }

    @Test func `children are read for each row of their parent, which stands before them`() throws {
        var helpdesk = Helpdesk()
        helpdesk.retriever = """
            partition_router:
              type: SubstreamPartitionRouter
              parent_stream_configs:
                - type: ParentStreamConfig
                  parent_key: id
                  partition_field: board_id
                  stream:
                    type: DeclarativeStream
                    name: Boards
                    primary_key: [id]
                    schema_loader: { type: InlineSchemaLoader, schema: { properties: { id: { type: number } } } }
                    retriever:
                      type: SimpleRetriever
                      requester: { type: HttpRequester, url_base: "https://api.helpdesk.example/v2", path: boards, authenticator: { type: BearerAuthenticator, api_token: "{{ config['api_key'] }}" } }
                      record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [] } }
            """
        helpdesk.requester = "request_parameters: { board: \"{{ stream_partition.board_id }}\" }"
        let job = try JobFile.parse(try helpdesk.file(), file: "f").get()
        #expect(job.entities.map(\.name) == ["boards", "tickets"])
        // A number is a text here, whose digits all count.
        #expect(job.entities[0].records.field(named: "id")?.kind == .text)
        #expect(job.entities[1].forEach?.names == ["id"])
        #expect(job.entities[1].records.field(named: "board_id")?.isOfItem == true)
    }

    @Test func `a fixed list and a list of the configuration are items`() throws {
        var helpdesk = Helpdesk()
        helpdesk.properties += "\nteams: { type: array }"
        helpdesk.retriever = """
            partition_router:
              - { type: ListPartitionRouter, cursor_field: state, values: [open, closed], request_option: { type: RequestOption, inject_into: request_parameter, field_name: state } }
              - { type: ListPartitionRouter, cursor_field: team, values: "{{ config['teams'] }}", request_option: { type: RequestOption, inject_into: request_parameter, field_name: team } }
            """
        let file = try helpdesk.file()
        #expect(file.contains("values: [open, closed], as: state"))
        #expect(file.contains("user: helpdesk_teams, as: team"))
        #expect(file.contains("team: { each: team, type: text }"))
    }

    @Test func `records without a key are told apart by what they hold`() throws {
        var helpdesk = Helpdesk()
        helpdesk.stream = "primary_key: []"
        let file = try helpdesk.file()
        #expect(file.contains("key: content"))
        #expect(file.contains("mode: replace_all"))
        // Where absence deletes, a list that is not there proves nothing.
        #expect(!file.contains("absent"))
    }

    @Test func `errors that mean nothing are skipped, and a refused credential is not`() throws {
        var helpdesk = Helpdesk()
        helpdesk.requester = """
            error_handler:
              type: DefaultErrorHandler
              backoff_strategies: [{ type: WaitTimeFromHeader, header: X-Wait }]
              response_filters:
                - { type: HttpResponseFilter, action: IGNORE, http_codes: [401, 403, 404] }
                - { type: HttpResponseFilter, action: RETRY, predicate: "{{ response.error.code == 'busy' }}", http_codes: [400] }
                - { type: HttpResponseFilter, action: FAIL, http_codes: [402] }
            """
        let result = try helpdesk.imported()
        let file = try #require(result.files.first).text
        #expect(file.contains("- { status: [403, 404], then: skip }"))
        #expect(file.contains("- { status: [400], then: retry }"))
        #expect(file.contains("body: { at: error.code, eq: busy }"))
        #expect(!file.contains("then: fail"))
        #expect(file.contains("- { header: Retry-After }\n      - { header: X-Wait }"))
        #expect(result.notes.contains { $0.contains("401 is not ignored") })
    }

    @Test(arguments: [
        ("{{ record.state in ['open', 'new'] }}", "{ at: state, in: [open, new] }"),
        ("{{ record['count'] > 0 }}", "{ at: count, type: int, gt: 0 }"),
        ("{{ record.subject is not none }}", "{ at: subject, present: true }"),
        ("{{ not record.spam }}", "{ at: spam, type: bool, ne: true }"),
    ])
    func `a condition on records becomes keep_if`(condition: String, expected: String) throws {
        var helpdesk = Helpdesk()
        helpdesk.schema = "{ id: { type: string }, spam: { type: boolean } }"
        helpdesk.selector = "record_filter: { type: RecordFilter, condition: \"\(condition)\" }"
        #expect(try helpdesk.file().contains(expected))
    }

    @Test func `added fields are places, items and constants`() throws {
        var helpdesk = Helpdesk()
        helpdesk.stream += """

            transformations:
              - type: AddFields
                fields:
                  - { path: [owner], value: "{{ record.owner.id }}" }
                  - { path: [origin], value: helpdesk }
                  - { path: [read_at], value: "{{ now_utc() }}" }
              - { type: RemoveFields, field_pointers: [[updated]] }
            """
        let file = try helpdesk.file()
        #expect(file.contains("owner: { at: owner.id, type: json }"))
        #expect(file.contains("origin: { value: helpdesk, type: text }"))
        #expect(!file.contains("read_at"))
        #expect(!file.contains("updated"))
    }

    @Test func `a column that tables have of their own gets another name`() throws {
        var helpdesk = Helpdesk()
        helpdesk.schema =
            "{ id: { type: integer }, user_id: { type: integer }, \"Order Items\": { type: array } }"
        let file = try helpdesk.file()
        #expect(file.contains("user_id_value: { at: user_id, type: int }"))
        #expect(file.contains("order_items:"))
    }

    @Test func `without a schema the key is a column and the record another`() throws {
        var helpdesk = Helpdesk()
        helpdesk.schema = "{}"
        let file = try helpdesk.file()
        #expect(file.contains("record: { at: \"\", type: json }"))
        #expect(file.contains("id:"))
        #expect(file.contains("of: [id]"))
    }
}
