import Testing

@testable import Importing

/// Expressions that a job file has words for, and their neighbours that it has not.
@Suite struct ClosedFormTests {
    private func helpdesk(_ change: (inout Helpdesk) -> Void) -> Helpdesk {
        var helpdesk = Helpdesk()
        helpdesk.properties += """

            start_date: { type: string, format: date-time }
            tags: { type: array }
            query_tickets: { type: string }
            account: { type: string }
            """
        helpdesk.required = "[api_key, start_date, query_tickets]"
        change(&helpdesk)
        return helpdesk
    }

    private func sent(_ value: String) throws -> String {
        try helpdesk { $0.requester = "request_parameters: { q: \"\(value)\" }" }.file()
    }

    @Test(arguments: [
        (
            "{{ format_datetime(config['start_date'], '%Y-%m-%d') }}",
            "{user.helpdesk_start_date_written}"
        ),
        (
            "{{ (timestamp(config['start_date']) * 1000) | int }}",
            "{user.helpdesk_start_date_written}"
        ),
        ("{{ ','.join(config.get('tags', [])) }}", "{user.helpdesk_tags_joined}"),
        ("{{ config.tags | join(',') }}", "{user.helpdesk_tags_joined}"),
        ("{{ config['query_' + 'tickets'] }}", "{user.helpdesk_query_tickets}"),
        (
            "{{ config['start_date'].split('T')[0] if config['start_date'] else day_delta(-1, format='%Y-%m-%dT%H:%M:%SZ') }}",
            "{now-1d}"
        ),
    ])
    func `a value in a form of its own is an attribute in that form`(
        value: String, expected: String
    ) throws {
        #expect(try sent(value).contains("query: { q: \"\(expected)\" }"))
    }

    @Test(arguments: [
        "{{ config['tags'][0] }}", "{{ ','.join(config.tags + config.more) }}",
        "{{ format_datetime(record.a, '%Y') }}", "{{ config['account'].split('-')[0] }}",
        "{{ config['account'] if config['start_date'] else day_delta(-1) }}",
    ])
    func `a value that is cut or mixed is left`(value: String) throws {
        let left = try helpdesk { $0.requester = "request_parameters: { q: \"\(value)\" }" }.left()
        #expect(left.contains { $0.contains("an expression beyond") }, "\(left)")
    }

    @Test func `a name that a pass has no value for is not sent`() throws {
        let file = try sent("{{ stream_interval['start_date'] }}")
        #expect(!file.contains("query"))
        let left = try helpdesk {
            $0.requester = "request_parameters: { q: \"{{ stream_interval.extra_fields.x }}\" }"
        }.left()
        #expect(left.contains { $0.contains("an expression beyond") })
    }

    private let cursor = """

        incremental_sync:
          type: DatetimeBasedCursor
          cursor_field: updated
          datetime_format: "%Y-%m-%dT%H:%M:%S%z"
          start_datetime: { type: MinMaxDatetime, datetime: "2024-01-01T00:00:00Z" }
          end_datetime: { type: MinMaxDatetime, datetime: "{{ now_utc() }}" }
        """

    @Test(arguments: [
        (
            "{{ stream_interval.start_time if stream_interval else config['start_date'] }}",
            "{since}"
        ),
        ("{{ stream_interval.get('start_time', '') or '1900-01-01' }}", "{since}"),
        (
            "{{ stream_slice.start_time[:-2] + ':' + stream_slice.start_time[-2:] }}", "{since}"
        ),
    ])
    func `a pass has its interval, whatever would hold without one`(value: String, expected: String)
        throws
    {
        let file = try helpdesk {
            $0.stream += cursor
            $0.requester = "request_parameters: { q: \"\(value)\" }"
        }.file()
        #expect(file.contains("query: { q: \"\(expected)\" }"))
    }

    @Test func `a part of an interval's time is left`() throws {
        let left = try helpdesk {
            $0.stream += cursor
            $0.requester = "request_parameters: { q: \"{{ stream_slice.start_time[:-3] }}\" }"
        }.left()
        #expect(left.contains { $0.contains("an expression beyond") })
    }

    @Test func `a GET sends its body, with secrets`() throws {
        let file = try helpdesk {
            $0.requester =
                "request_body_json: { key: \"{{ config['api_key'] }}\", deep: { all: true } }"
        }.file()
        #expect(
            file.contains(
                """
                    request:
                      method: GET
                      path: /tickets
                      body:
                        key: "{secret.helpdesk_api_key}"
                        deep: { all: true }
                """))
    }

    @Test func `a parameter that stands behind a condition is left out with its attribute`() throws
    {
        let path =
            "{{ 'tickets?account=' + config['account'] if config.get('account') else 'tickets' }}"
        let file = helpdesk { $0.requester = "path: \"\(path)\"" }.text
            .replacing("        path: /tickets\n", with: "")
        let result = try AirbyteImport.reading(
            Array(file.utf8), file: "m", .init(source: "helpdesk")
        ).get()
        let text = try #require(result.files.first, "\(result.left)").text
        #expect(
            text.contains(
                "path: /tickets\n      query: { account: \"{user.helpdesk_account}\" }"))
        #expect(!text.contains("helpdesk_account: {}"))
        let other = file.replacing("else 'tickets'", with: "else 'others'")
        let left = try AirbyteImport.reading(
            Array(other.utf8), file: "m", .init(source: "helpdesk")
        ).get().left
        #expect(left.contains { $0.why.contains("an expression beyond") })
    }

    @Test func `an address that is a whole value of the configuration is a host and a path`() throws
    {
        let file = try helpdesk {
            $0.url = "{{ config['url'] }}"
            $0.properties += "\nurl: { type: string, default: \"https://api.helpdesk.example/v2\" }"
        }.file()
        #expect(
            file.contains(
                """
                  helpdesk_url: { default: api.helpdesk.example }
                  helpdesk_url_path: { default: v2 }
                """))
        #expect(file.contains("base: \"https://{user.helpdesk_url}/{user.helpdesk_url_path}\""))
        // Of one that may be anything the path is not known, and the host alone stands there.
        let bare = try helpdesk {
            $0.url = "{{ config['url'] }}"
            $0.properties += "\nurl: { type: string }"
            $0.required = "[api_key, url]"
        }.file()
        #expect(bare.contains("base: \"https://{user.helpdesk_url}\""))
    }

    @Test func `a value that decides host and path at once is two attributes`() throws {
        let file = try helpdesk {
            $0.url =
                "{{ 'https://mock.example/a/b' if config.mode == 'test' else 'https://api.helpdesk.example/v2' }}"
            $0.properties += "\nmode: { type: string, enum: [live, test] }"
            $0.required = "[api_key, mode]"
        }.file()
        #expect(
            file.contains(
                "helpdesk_mode:\n    map: { live: api.helpdesk.example, test: mock.example }"))
        #expect(file.contains("helpdesk_mode_path:\n    map: { live: v2, test: a/b }"))
        #expect(file.contains("base: \"https://{user.helpdesk_mode}/{user.helpdesk_mode_path}\""))
    }

    @Test func `a value that makes no host is no choice`() throws {
        let file = try helpdesk {
            $0.url = "https://api.helpdesk.{{ config['end'] }}/v2"
            $0.properties += "\nend: { type: string, enum: [com, .com.cn] }"
            $0.required = "[api_key, end]"
        }.file()
        #expect(file.contains("hosts: [api.helpdesk.com]"))
        #expect(file.contains("helpdesk_end: { one_of: [com] }"))
    }

    private func made(_ value: String) -> Helpdesk {
        helpdesk {
            $0.schema =
                "{ id: { type: string }, made: { type: string, format: date-time }, count: { type: integer }, title: { type: string } }"
            $0.stream +=
                "\ntransformations: [{ type: AddFields, fields: [\(value)] }]"
        }
    }

    @Test(
        arguments: [
            (
                "{ path: [title], value: \"{{ record.a.b or 'None' }}\" }",
                "title: { at: a.b, type: text }"
            ),
            (
                "{ path: [title], value: \"{{ record['a'] }}-{{ record.b }}\" }",
                "title: { join: { of: [a, b], with: \"-\" }, type: text }"
            ),
            (
                "{ path: [at], value: \"{{ format_datetime(record.made_at, '%Y-%m-%d', '%d/%m/%Y %H:%M') }}\" }",
                "at: { at: made_at, type: timestamp, format: \"dd/MM/yyyy HH:mm\" }"
            ),
            (
                "{ path: [count], value: \"{{ record.count or 0 }}\" }",
                "count: { at: count, type: int, default: 0 }"
            ),
            (
                "{ path: [made], value: \"{{ record.made or '1970-01-01T00:00:00Z' }}\" }",
                "made: { at: made, type: timestamp, default: \"1970-01-01T00:00:00Z\" }"
            ),
            (
                "{ path: [title], value: \"{{ stream_partition.nobody }}\" }",
                "title: { value: \"\", type: text }"
            ),
        ])
    func `a field that is made becomes the words for it`(value: String, expected: String) throws {
        let file = try made(value).file()
        #expect(file.contains(expected), "\(file)")
    }

    @Test(arguments: [
        "{ path: [title], value: \"{{ record.a or record.b }}\" }",
        "{ path: [title], value: \"{{ record.a or 'x' }}\" }",
        "{ path: [title], value: \"{{ record.a ~ record.b }}\" }",
        "{ path: [title], value: \"{{ record.count or 0 }}\" }",
        "{ path: [title], value: \"{{ record.a }}-{{ record.b }}/{{ record.c }}\" }",
        "{ path: [title], value: \"{{ record.a | hash('md5') }}\" }",
        "{ path: [at], value: \"{{ format_datetime(record.made, '%Y', '%j %Y') }}\" }",
    ])
    func `a field that is made otherwise is left`(value: String) throws {
        let left = try made(value).left()
        #expect(left.contains { $0.contains("Tickets: transformations") }, "\(left)")
    }

    @Test func `parameters decide before anything is sent`() throws {
        let value =
            "{{ config['query_tickets'] if parameters['kind'] == 'a' else config['nobody'].replace('x', 'y') }}"
        let file = try helpdesk {
            $0.requester =
                "request_parameters: { q: \"\(value)\" }\n$parameters: { kind: a }"
        }.file()
        #expect(file.contains("query: { q: \"{user.helpdesk_query_tickets}\" }"))
    }

    @Test func `a filter fits by any of its conditions`() throws {
        let file = try helpdesk {
            $0.requester = """
                error_handler:
                  type: DefaultErrorHandler
                  response_filters: [{ type: HttpResponseFilter, action: RETRY, http_codes: [400], predicate: "{{ response.code == 'busy' }}" }]
                """
        }.file()
        #expect(file.contains("- { status: [400], then: retry }"))
        #expect(file.contains("body: { at: code, eq: busy }\n        then: retry"))
    }
}
