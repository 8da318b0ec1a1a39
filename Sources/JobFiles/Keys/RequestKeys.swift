import JSON

extension Mapping where Model == Request {
    /// The request of an entity, with what only a pass has.
    static let ofEntity = reading("What is sent for each page.", [.pass, .call])

    /// The same of an entity that is read for each of several items.
    static let ofItem = reading("What is sent for each page.", [.pass, .call, .each])

    /// The request of a probe, which knows of no position.
    static let ofProbe = reading("What is sent for each page.", .call)

    /// The request that begins a session.
    static let ofLogin = Mapping(
        "login", "The request that signs in.", blank: Request.blank, rules: bodyRules
    ) {
        keys(
            [], methods: ["GET", "POST", "PUT"], expect: 200...299,
            "The status codes of an answer that holds a token."
        )
    } check: {
        checkBody($0, $1)
    }

    private static func reading(_ meaning: String, _ permits: Permits) -> Mapping {
        Mapping("request", meaning, blank: .blank, rules: bodyRules) {
            keys(
                permits, methods: ["GET", "POST"], expect: 200...299,
                """
                The status codes of an answer that holds what was asked for. Any other one below 300 \
                fails the run, but for 204, an empty list, and 202, which puts the run off.
                """)
        } check: {
            checkBody($0, $1)
        }
    }

    /// A body without a method is one whose method was forgotten.
    fileprivate static var bodyRules: [KeyRule] {
        [
            .atMostOne(["body", "form"]),
            .when(.not(.isThere("method")), [.forbids(["body", "form"])]),
        ]
    }

    fileprivate static func checkBody(_ place: Place, _ request: Request) {
        if place.has("body") {
            place.report(ifThere: "form", "a body is sent already; leave form out")
        }
        guard !place.has("method") else { return }
        for key in ["body", "form"] {
            place.report(
                ifThere: key, "a \(key) goes with a method; write method: POST, or method: GET")
        }
    }

    /// What every request has; `permits` says what its texts may hold.
    fileprivate static func keys(
        _ permits: Permits, methods: [String], expect: ClosedRange<Int>, _ expectMeaning: String
    ) -> [Key<Request>] {
        let permits = permits.union(.secret)
        return [
            standard(
                "method", \.method, .words(methods, noun: "method"),
                "The method. Beside a `body` or a `form` it is written, also where it is `GET`."),
            required(
                "path", \.path, .urlPath(permits),
                """
                The path below `base`, of ASCII without `?`, `#` and white space. A value that makes a \
                part of it empty, `.` or `..` fails the run.
                """),
            usual(
                "query", \.query, .parameters(permits),
                "The parameters, by name. A list of values repeats the name."),
            usual("headers", \.headers, .headers(permits), "The header fields, by name."),
            optional(
                "body", \.body, .body(permits.union(.list)),
                """
                What is sent as JSON. Texts are templates; plain numbers, `true`, `false` and `null` are \
                what JSON calls them.
                """),
            usual(
                "form", \.form, .parameters(permits),
                """
                What is sent as a form (`application/x-www-form-urlencoded`) in place of a `body`, by name. A list of \
                values repeats the name.
                """),
            usual(
                "expect", \.expect, .filled(.integer(expect)), without: "`[200]`", expectMeaning
            ).when { $0.expect != [200] },
        ]
    }
}

extension Request {
    /// As a file writes it.
    var members: [JSONMember] { Mapping<Request>.ofEntity.members(of: self) }

    static let blank = Request(method: "GET", path: .blank, query: [], headers: [], body: nil)
}

extension Template {
    static let blank = Template(pieces: [])
}

extension Mapping where Model == Call {
    fileprivate static let call = Mapping(
        "call", "A named request around the entities.",
        blank: Call(
            name: "", request: .blank, retries: true, skipIfEmpty: nil, minGap: nil,
            onFailure: .fail),
        rules: Mapping<Request>.bodyRules
    ) {
        Mapping<Request>.keys(
            .call, methods: ["GET", "POST", "PUT", "PATCH", "DELETE"], expect: 100...599,
            "The status codes that are success."
        ).map { $0.lifted(to: \.request) }
        standard(
            "retry", \.retries, .boolean, "With `false` the request is sent once, whatever happens."
        )
        optional(
            "skip_if_empty", \.skipIfEmpty, .list,
            "The name of a list. When it is empty, the call is not made.")
        optional(
            "min_gap", \.minGap, .duration(.seconds(1) ... .days(30)),
            "A user has at most one success in this span.")
        standard(
            "on_failure", \.onFailure, .word("policy"),
            "With `fail` the run fails with the call; with `warn` it goes on.")
    } check: {
        Mapping<Request>.checkBody($0, $1.request)
    }
}

extension Form where Value == [Call] {
    /// A call may hold what those answered that have run when it is first made.
    static let calls = named(\.name, Mapping<Call>.call.form) { entry, reading in
        reading.scope.ranBefore = reading.scope.before.map { before in
            Array(before.prefix(before.firstIndex(of: entry.key) ?? before.count))
        }
        return reading.isName(entry.key, at: entry.position, entry.value.path)
    }
}
