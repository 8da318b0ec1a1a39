import Testing

@testable import Importing

@Suite struct PagingTranslationTests {
    private func helpdesk(
        _ strategy: String, option: String = "inject_into: request_parameter, field_name: p",
        path: Bool = false
    ) -> Helpdesk {
        var helpdesk = Helpdesk()
        let place = path ? "{ type: RequestPath }" : "{ type: RequestOption, \(option) }"
        helpdesk.retriever = """
            paginator:
              type: DefaultPaginator
              page_token_option: \(place)
              pagination_strategy: { \(strategy) }
            """
        return helpdesk
    }

    private func cursor(_ value: String, _ stop: String = "") -> String {
        "type: CursorPagination, cursor_value: \"\(value)\""
            + (stop.isEmpty ? "" : ", stop_condition: \"\(stop)\"")
    }

    @Test(arguments: [
        (
            "{{ response.startAt + response['maxResults'] }}",
            "{{ response.isLast or response.startAt + response.maxResults >= response.total }}",
            """
                page:
                  style: token
                  last_at: isLast
                  token_at: { sum: [startAt, maxResults], below: total }
            """
        ),
        (
            "{{ response.meta.page + 1 }}", "{{ not response.meta.page }}",
            "    page:\n      style: token\n      token_at: { sum: [meta.page, 1] }"
        ),
        // The last page has the number of pages, so that they are counted from 1.
        (
            "{{ response.meta.page | int + 1 }}", "{{ response.meta.pages == response.meta.page }}",
            "    page: { style: page, last_at: meta.pages }"
        ),
        (
            "{{ response.next }}", "{{ response.get('done', False) }}",
            "    page: { style: token, token_at: next, last_at: done }"
        ),
    ])
    func `a position that is computed becomes the words for it`(
        value: String, stop: String, expected: String
    ) throws {
        let file = try helpdesk(cursor(value, stop)).file()
        #expect(file.contains(expected), "\(file)")
        #expect(file.contains("query: { p: \"{page.token}\" }"))
    }

    @Test(arguments: [
        // A sum below another one, a page that is compared with one fewer, and a product.
        (
            "{{ response.startAt + response.maxResults }}",
            "{{ response.startAt + response.count >= response.total }}"
        ),
        ("{{ response.page + 1 }}", "{{ response.page + 1 >= response.pages }}x"),
        ("{{ response.page + 1 }}", "{{ response.other == response.pages }}"),
        ("{{ response.startAt * 2 }}", ""), ("{{ last_record['id'] + 1 }}", ""),
        ("{{ response.startAt - 1 }}", ""),
    ])
    func `a position that is computed otherwise is left`(value: String, stop: String) throws {
        #expect(try helpdesk(cursor(value, stop)).left().contains { $0.contains("paginator") })
    }

    @Test func `an object around the token goes into the body`() throws {
        let value =
            "{{ '{\\\"after\\\": \\\"' + response.data.page.end + '\\\"}' if response.data.page.end else '' }}"
        var made = helpdesk(
            cursor(value, "{{ response.data.page.more is false }}"),
            option: "inject_into: body_json, field_name: variables")
        made.requester = "http_method: POST\nrequest_body_json: { query: x }"
        let file = try made.file()
        #expect(
            file.contains(
                """
                      body:
                        query: x
                        variables: { after: "{page.token}" }
                """))
        #expect(
            file.contains(
                "page: { style: token, token_at: data.page.end, more_at: data.page.more }"))
        // Where it would take the place of something, or holds more, nobody knows what was meant.
        made.requester = "http_method: POST\nrequest_body_json: { query: x, variables: { a: 1 } }"
        #expect(try made.left().contains { $0.contains("an object that is sent as the position") })
        made = helpdesk(
            cursor(value.replacing("{\\\"after", with: "{\\\"first\\\": 2, \\\"after")),
            option: "inject_into: body_json, field_name: variables")
        #expect(try made.left().contains { $0.contains("the next position is made") })
    }

    @Test func `of two addresses the first one leads on`() throws {
        let both = "{{ response.meta.next_url or response.next_uri }}"
        let stop = "{{ not response.meta.next_url and not response.next_uri }}"
        #expect(
            try helpdesk(cursor(both, stop), path: true).file().contains(
                "page: { style: next_url, url_at: [meta.next_url, next_uri] }"))
        #expect(
            try helpdesk(cursor(both, "{{ not response.a and not response.next_uri }}"), path: true)
                .left().contains { $0.contains("stop_condition") })
    }

    @Test func `a link that says of itself that it is the last one ends the pass`() throws {
        #expect(
            try helpdesk(
                cursor(
                    "{{ headers['link'].next.cursor }}",
                    "{{ headers['link']['next']['results'] == 'false' }}")
            ).file().contains("style: link_header\n      end_if: { results: \"false\" }"))
    }

    @Test(arguments: [
        ("start_from_page: 0", "page: { style: page, start: 0, sends_start: false }"),
        (
            "page_size: 5",
            "sends_start: false\n      end: short_page\n      size: 5"
        ),
        ("start_from_page: 0, inject_on_first_request: true", "page: { style: page, start: 0 }"),
        ("start_from_page: 1", "page: { style: page }"),
    ])
    func `whether the first request has a page's number is as the manifest says`(
        keys: String, expected: String
    ) throws {
        #expect(try helpdesk("type: PageIncrement, \(keys)").file().contains(expected))
    }

    @Test func `a position that the request counts from 1 begins there`() throws {
        var made = Helpdesk()
        made.retriever =
            "paginator: { type: DefaultPaginator, pagination_strategy: { type: OffsetIncrement, page_size: 5 } }"
        made.requester =
            "request_parameters: { q: \"from {{ (next_page_token.next_page_token or 0) + 1 }}\" }"
        let file = try made.file()
        #expect(file.contains("query: { q: \"from {page.token}\" }"))
        #expect(file.contains("page: { style: offset, end: short_page, start: 1, size: 5 }"))
        made.retriever = made.retriever.replacing("OffsetIncrement", with: "PageIncrement")
        #expect(try made.left().contains { $0.contains("counts from another number") })
    }

    @Test func `a list whose position is never sent is its first page`() throws {
        var made = Helpdesk()
        made.retriever =
            "paginator: { type: DefaultPaginator, pagination_strategy: { type: PageIncrement, page_size: 5 } }"
        #expect(try made.file().contains("page: { style: single }"))
    }

    @Test func `a place of any name is read through lists and mappings alike`() throws {
        var made = Helpdesk()
        made.extractor = "{ type: DpathExtractor, field_path: [groups, \"*\", ticket] }"
        #expect(
            try made.file().contains(
                """
                      at: "groups[].ticket"
                      key: [id]
                      values_as_list: true
                """.replacing(
                    "      key: [id]\n      values_as_list: true", with: "      key: [id]")))
        #expect(try made.file().contains("values_as_list: true"))
        made.extractor = "{ type: DpathExtractor, field_path: [groups, \"**\"] }"
        #expect(try made.left().contains { $0.contains("a place in a list, or any place") })
    }

    @Test func `what is ignored ends a counted list, and skips one that begins with it`() throws {
        var made = helpdesk("type: PageIncrement, start_from_page: 1")
        made.requester = """
            error_handler:
              type: DefaultErrorHandler
              response_filters: [{ type: HttpResponseFilter, action: IGNORE, http_codes: [403, 404] }]
            """
        #expect(
            try made.file().contains(
                """
                    errors:
                      - { status: [404], then: end }
                      - { status: [403, 404], then: skip }
                """))
        made.retriever = ""
        let file = try made.file()
        #expect(file.contains("errors:\n      - { status: [403, 404], then: skip }"))
    }
}
