import Testing

@testable import Importing

@Suite struct LeftTests {
    @Test(arguments: [
        (
            "{ type: CustomAuthenticator, class_name: x.Y }",
            "Tickets: authenticator: CustomAuthenticator"
        ),
        (
            "{ type: LegacySessionTokenAuthenticator }",
            "Tickets: authenticator: LegacySessionTokenAuthenticator"
        ),
    ])
    func `a sign-in that no job file has is left`(authenticator: String, expected: String) throws {
        var helpdesk = Helpdesk()
        helpdesk.authenticator = authenticator
        #expect(try helpdesk.left().contains { $0.contains(expected) })
    }

    @Test(arguments: [
        (
            "request_parameters: { \"{{ config['api_key'] }}\": q }",
            "a name that is made by an expression"
        ),
        ("request_parameters: { q: \"{{ range(3) }}\" }", "an expression beyond"),
        ("request_parameters: { q: \"{% if config.x %}a{% endif %}\" }", "there are no statements"),
        ("http_method: PUT", "asked for by GET or POST"),
        (
            "error_handler: { type: CustomErrorHandler, class_name: x.Y }",
            "Python that decides what an error is"
        ),
        (
            "error_handler: { type: DefaultErrorHandler, response_filters: [{ action: IGNORE, predicate: \"{{ response.a > response.b }}\" }] }",
            "errors can't say"
        ),
    ])
    func `a request that can't be said is left`(requester: String, expected: String) throws {
        var helpdesk = Helpdesk()
        helpdesk.requester = requester
        let left = try helpdesk.left()
        #expect(left.contains { $0.contains(expected) }, "\(left)")
    }

    @Test(arguments: [
        ("decoder: { type: CsvDecoder }", "answers are read as JSON"),
        (
            "paginator: { type: DefaultPaginator, pagination_strategy: { type: CustomPaginationStrategy, class_name: x.Y } }",
            "Python that finds the next page"
        ),
        (
            "partition_router: { type: CustomPartitionRouter, class_name: x.Y }",
            "no source of for_each is like that"
        ),
        (
            "paginator: { type: DefaultPaginator, page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: p }, pagination_strategy: { type: CursorPagination, cursor_value: \"{{ response.a * 2 }}\" } }",
            "the next position is made by an expression"
        ),
        (
            "paginator: { type: DefaultPaginator, page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: p }, pagination_strategy: { type: CursorPagination, cursor_value: \"{{ response.a }}\", stop_condition: \"{{ response.done > 3 }}\" } }",
            "a condition that more_at and end can't say"
        ),
    ])
    func `a retriever that can't be said is left`(retriever: String, expected: String) throws {
        var helpdesk = Helpdesk()
        helpdesk.retriever = retriever
        let left = try helpdesk.left()
        #expect(left.contains { $0.contains(expected) }, "\(left)")
    }

    @Test(arguments: [
        (
            "transformations: [{ type: CustomTransformation, class_name: x.Y }]",
            "a change of records that fields can't say"
        ),
        (
            "transformations: [{ type: AddFields, fields: [{ path: [a], value: \"{{ record.b + 1 }}\" }] }]",
            "a value that is made by an expression"
        ),
        (
            "incremental_sync: { type: CustomIncrementalSync, class_name: x.Y }",
            "a cursor that is not of time"
        ),
    ])
    func `a stream that can't be said is left`(stream: String, expected: String) throws {
        var helpdesk = Helpdesk()
        helpdesk.stream += "\n" + stream
        let left = try helpdesk.left()
        #expect(left.contains { $0.contains(expected) }, "\(left)")
    }

    @Test func `a condition and an extractor in Python are left`() throws {
        var helpdesk = Helpdesk()
        helpdesk.selector =
            "record_filter: { type: RecordFilter, condition: \"{{ record.a | length > 0 }}\" }"
        #expect(try helpdesk.left().contains { $0.contains("keep_if can't say") })
        helpdesk.selector = ""
        helpdesk.extractor = "{ type: CustomRecordExtractor, class_name: x.Y }"
        #expect(try helpdesk.left().contains { $0.contains("Python that finds the records") })
    }

    @Test func `a line names the stream, the place, what stands there, why and what comes nearest`()
        throws
    {
        var helpdesk = Helpdesk()
        helpdesk.requester = "request_parameters: { q: \"{{ range(3) }}\" }"
        #expect(
            try helpdesk.left() == [
                "Tickets: request_parameters.q: range(3): an expression beyond what a job file can say: write this entity by hand"
            ])
    }

    @Test func `streams that the source names at run time are left`() throws {
        var helpdesk = Helpdesk()
        helpdesk.others = "dynamic_streams: [{ type: DynamicDeclarativeStream }]"
        let result = try helpdesk.imported()
        #expect(result.translated == 1)
        #expect(result.left.map(\.stream) == ["dynamic_streams[0]"])
    }

    @Test func `a $ref that leads nowhere, or to itself, is left`() throws {
        for reference in ["#/definitions/none", "#/definitions/round"] {
            var helpdesk = Helpdesk()
            helpdesk.others = "definitions: { round: { $ref: \"#/definitions/round\" } }"
            helpdesk.requester = "error_handler: { $ref: \"\(reference)\" }"
            #expect(try helpdesk.left().contains { $0.contains("a $ref that leads") })
        }
    }
}
