import JSON

/// A page as a file writes it: what each style has of its own.
struct WrittenPage {
    var style = "single"
    var tokenAt: Page.TokenLocation?
    var urlAt: [Path] = []
    var urlHeader: String?
    var signs: [Page.LinkSign] = []
    var first = 0
    var moreIf: Path?
    /// With `page` it is that style's own end.
    var lastAt: Path?
    var sendsStart = true
    var nextAt: Path?
    var totalAt: Path?
    var by: String?
    var start = JSONValue.string("")
    var persists = false
    var size: Int?
    var maxPages: Int?
    /// With `sync_token` it is that style's own sign.
    var moreAt: Path?
    var end: Page.End?
    var staysAtOrigin = false
    var resumeAt: Path?

    /// The number of the first page, which is one where the file says nothing.
    var firstPage: Int {
        get { first + 1 }
        set { first = newValue - 1 }
    }

    /// Where in the body the position is; nil when it is elsewhere.
    var tokenPath: Path? {
        get { if case .body(let path)? = tokenAt { path } else { nil } }
        set { tokenAt = newValue.map { .body($0) } }
    }

    /// The request must send `{page.token}`, or must not.
    var sendsToken: Bool { !["single", "next_url", "link_header"].contains(style) }
}

extension Mapping where Model == WrittenPage {
    static let page = Mapping(
        "page", "How a pass goes from page to page; the style decides the other keys.",
        blank: WrittenPage(),
        rules: [
            .when(.has("end", ["short_page"]), [.needs(["size"])]),
            .when(.has("style", ["single"]), [.forbids(["max_pages"])]),
        ],
        choice: Choice(
            name: "style", noun: "style",
            meaning: "Where the next position is and what ends a pass.", place: \.style,
            variants: styles)
    ) {
        optional(
            "size", \.size,
            .byPreset(.integer(1...10_000), with: .integer(1...CloudKitAddress.batchMax)),
            without: "with `cloudkit` 200, also the most",
            "How many records are asked for at once. It is sent where `{page.size}` stands.")
        optional(
            "max_pages", \.maxPages, .integer(1 ... .max), without: "10000",
            "A run that reaches it yields with its cursor kept; it never ends a pass.")
    }

    private static let styles = [
        word(
            "single", "There is one request; the pass ends after it.", in: .withoutPreset),
        word(
            "token",
            "The next position stands in the body. The pass ends where the token is absent, null, `false` or empty.",
            title: "page_token",
            shared: [moreAt, moreIf, lastAt, end(naming, namingWithout, namingMeaning), resumeAt]
        ) {
            required(
                "token_at", \.tokenAt,
                Form<Page.TokenLocation>.token.optional,
                "Where the next token is: a path into the body, or a mapping for another place."
            ).unlessPreset()
        },
        word(
            "next_url",
            "The whole URL of the next page stands in the body or in a header field. The pass ends where it is absent.",
            in: .withoutPreset, oneOf: ["url_at", "url_header"], title: "page_next_url",
            shared: [
                moreAt, moreIf, lastAt, end(naming, namingWithout, namingMeaning), origin, resumeAt,
            ]
        ) {
            usual(
                "url_at", \.urlAt, .places,
                "Where in the body the URL is; of several places the first one that has something counts."
            )
            optional(
                "url_header", \.urlHeader, .headerName, "The header field that holds the URL.")
        },
        word(
            "link_header",
            "The next page stands in `Link: <…>; rel=\"next\"`. The pass ends where there is no such link.",
            in: .withoutPreset, title: "page_link_header",
            shared: [moreAt, moreIf, lastAt, end(naming, namingWithout, namingMeaning), origin]
        ) {
            usual(
                "end_if", \.signs,
                .named(
                    \.name,
                    Form<String>.text.map(
                        { value, _ in Page.LinkSign(name: "", value: value) }, back: \.value),
                    by: .notEmpty, noun: "entry"),
                """
                Parameters of the link, by name. The pass ends where the link to the next page has all of \
                these values, such as `{ results: "false" }`.
                """)
        },
        word(
            "offset",
            "`{page.token}` is `start` plus the elements received of the outermost list of `records.at`. The pass ends at an empty page, or when the total is reached.",
            in: .withoutPreset, title: "page_offset", shared: [moreAt, moreIf, lastAt, countedEnd]
        ) {
            standard("start", \.first, .integer(0 ... .max), "The first position.")
            sendsStart
            totalAt
        },
        word(
            "page",
            "`{page.token}` is a number counted from `start`. The pass ends where the source says so, else at an empty page.",
            in: .withoutPreset, rules: [.atMostOne(["last_at", "next_at", "total_at"])],
            title: "page_number", shared: [moreAt, moreIf, countedEnd]
        ) {
            standard(
                "start", \.firstPage, .integer(0 ... .max), "The number of the first page.")
            sendsStart
            optional(
                "last_at", \.lastAt, .innerPath,
                """
                Where the source gives the last page's number, or says whether this page is the last one. \
                The pass ends at that page, or at `true`.
                """)
            optional(
                "next_at", \.nextAt, .innerPath,
                """
                Where the source gives the next page's number, a link to it, or `true`. The pass ends where \
                it is absent, null, empty or `false`; an empty page does not end it.
                """)
            totalAt
        },
        word(
            "keyset",
            "`{page.token}` is the largest position seen. The pass ends without progress, and with `by` at an empty page.",
            in: .withoutPreset, oneOf: ["token_at", "by"], title: "page_keyset",
            shared: [
                moreAt,
                end(
                    [.shortPage, .emptyPage],
                    "a page without records ends the pass, but with `token_at` only if its position did not move",
                    """
                    With `short_page` a page of fewer than `size` records ends the pass as well. With `empty_page` a page \
                    without records ends it also where its position at `token_at` moved, as in sources that give the time \
                    of their answer.
                    """),
            ]
        ) {
            optional("token_at", \.tokenPath, .innerPath, "Where in the body the position is.")
            optional(
                "by", \.by, .name,
                "The field of the records that is the position: a required int, decimal, timestamp or text."
            )
            required(
                "start", \.start, .start,
                """
                The first position. With `token_at` it stands in a body as it is written here: in quotes as a text, \
                else as a number.
                """)
            standard(
                "persist", \.persists, .boolean,
                "With `true` the position is kept after the pass.")
        },
        word(
            "sync_token",
            "The next position stands in the body and outlives the pass. The pass ends when `more_at` is false.",
            title: "page_sync_token"
        ) {
            required(
                "token_at", \.tokenPath, Form<Path>.positionPath.optional,
                "Where the next token is."
            ).unlessPreset()
            required(
                "more_at", \.moreAt, Form<Path>.positionPath.optional,
                "Where the source says, with true or false, whether more is coming."
            ).unlessPreset()
        },
    ]

    /// A key that all styles with several pages have.
    private static let moreAt = optional(
        "more_at", \.moreAt, .innerPath,
        """
        Where the source says, with true or false, whether more follows. The pass ends at false; where nothing stands \
        there the style's own sign counts. True without a next position is `truncated`, and no end.
        """
    ).only(.withoutPreset)

    private static let moreIf = optional(
        "more_if", \.moreIf, .innerPath,
        """
        Where something stands as long as more follows, such as a link that is not followed. The pass ends where \
        nothing is there, or null, `false`, 0 or an empty value.
        """
    ).only(.withoutPreset)

    private static let lastAt = optional(
        "last_at", \.lastAt, .innerPath,
        """
        Where the source says, with true or false, whether this page is the last one. The pass ends at true; else the \
        style's own sign counts.
        """
    ).only(.withoutPreset)

    private static let sendsStart = standard(
        "sends_start", \.sendsStart, .boolean,
        """
        Whether the first request has the position too. With `false` it has none, for sources whose first page is the one \
        that no position names. A second page that shows the first one is no loop then.
        """
    ).when { !$0.sendsStart }

    private static let origin = usual(
        "origin", \.staysAtOrigin, .only("base", noun: "origin"),
        without: "the next page must be at the source's own origin",
        """
        With `base` the path and query of the link are asked for at the origin of the source, whatever other \
        origin it names. For sources behind a proxy that do not know their own name. Nobody else is asked.
        """)

    private static let resumeAt = optional(
        "resume_at", \.resumeAt, .innerPath, without: "each pass begins as the first one",
        """
        Where the last page of a pass has what the next one begins with, which then shows what has changed since: with \
        `next_url` an address, such as `["@odata.deltaLink"]`, else a token that is sent where `{since}` stands. A last \
        page without it is `malformed`. Where the source refuses it twice, everything is read anew.
        """
    ).only(.withoutPreset)

    private static let totalAt = optional(
        "total_at", \.totalAt, .innerPath,
        """
        Where the source says how many elements the outermost list of `records.at` has on all pages. The pass ends when \
        so many were received.
        """)

    private static let naming = Page.End.allCases
    private static let namingWithout =
        "a page without records ends no pass that has a next position"
    private static let namingMeaning = """
        What ends the pass beside its own sign: with `empty_page` a page without records, with `short_page` \
        one of fewer than `size`, with `repeated` one that shows the records of the page before, wherever it leads, \
        or none and the position that it was asked for. A page that names that position and shows others is asked \
        for once more; without the word it is a `cursor_loop`. For sources that give a next position for ever.
        """

    private static let countedEnd = end(
        [.shortPage, .repeated], "only an empty page ends the pass",
        """
        With `short_page` a page of fewer than `size` records ends the pass as well. Leave it out when \
        the server may send less than it was asked for. With `repeated` a page that shows the records of the one \
        before does, for sources that give their last page again behind it. Without it such a page ends the pass too once two \
        pages differed, and as the end is not proven unless the page is shorter than another (`end_unproven`), nothing \
        is deleted then; where the second page shows the first one, it is a `cursor_loop`.
        """
    )

    private static func end(
        _ words: [Page.End], _ without: String, _ meaning: String
    ) -> Key<WrittenPage> {
        let key = optional("end", \.end, .word("end", of: words), without: without, meaning)
        return words == naming ? key.only(.withoutPreset) : key
    }
}

extension Form where Value == [Path] {
    /// One place, or several of which the first that has something counts.
    fileprivate static let places = Form(
        type: oneOrMore(.innerPath).type, read: oneOrMore(.innerPath).read,
        write: { paths in
            paths.count == 1 ? .text(paths[0]) : .filled(paths.map { .text($0) })
        })
}

extension Form where Value == Path {
    /// A preset's positions may lie in the only element of an array.
    fileprivate static let positionPath = byPreset(.innerPath, with: .listPath)
}

extension Mapping where Model == Page.TokenLocation {
    fileprivate static let elsewhere = Mapping(
        "token_place", "Where the next token is, when it is not at a path of the body.",
        blank: .header(""), oneOf: ["header", "last", "sum"]
    ) {
        one(
            "header", \.self, .headerName, { .header($0) },
            { if case .header(let name) = $0 { name } else { nil } },
            "The header field that holds it.")
        one(
            "last", \.self, .innerPath, { .lastRecord($0) },
            { if case .lastRecord(let path) = $0 { path } else { nil } },
            """
            Where in the last element of the outermost list it is, such as `id`. The pass ends at a page without any.
            """)
        one(
            "sum", \.self, .filled(.addend), { .sum($0, below: nil) },
            { if case .sum(let addends, _) = $0 { addends } else { nil } },
            """
            Places of whole numbers in the body, and numbers, that make the next position together, such as `[startAt, \
            maxResults]` or `[page, 1]`. The pass ends at a page without one of them.
            """)
        optional(
            "below", \.bound, .innerPath,
            """
            With `sum`: where in the body the number is which ends the pass once the sum has reached it. Of pages counted \
            from 1 the number of pages is the last one, which would be left out: there `last_at` says it.
            """
        )
    } check: { place, location in
        if case .sum = location { return }
        place.report(ifThere: "below", "only a sum is compared; leave below out")
    }
}

extension Page.TokenLocation {
    /// Where the number is that a sum must stay below.
    fileprivate var bound: Path? {
        get { if case .sum(_, let below) = self { below } else { nil } }
        set { if case .sum(let addends, _) = self { self = .sum(addends, below: newValue) } }
    }
}

extension Form where Value == Page.Addend {
    fileprivate static let addend = Form(
        type: .anyOf([Form<Int>.integer(.min ... .max).type, .formed(.innerPath)]),
        read: { node, reading in
            if case .scalar(let text, isPlain: true) = node.content, let number = Int(text) {
                return .number(number)
            }
            return reading.innerPath(node).map { .at($0) }
        },
        write: { addend in
            switch addend {
            case .at(let path): .text(path)
            case .number(let number): .integer(number)
            }
        })
}

extension Form where Value == Page.TokenLocation {
    fileprivate static let token = Form(
        type: .anyOf([.formed(.innerPath), Mapping<Value>.elsewhere.form.type]),
        presetType: .formed(.presetPath),
        read: { node, reading in
            if reading.scope.isPreset {
                return reading.innerPath(node, toOne: false).map { .body($0) }
            }
            if case .mapping = node.content { return Mapping<Value>.elsewhere.read(node, reading) }
            return reading.innerPath(node).map { .body($0) }
        },
        write: { location in
            if case .body(let path) = location { return .text(path) }
            return Mapping<Value>.elsewhere.form.write(location)
        })
}

extension Form where Value == JSONValue {
    /// Any scalar; in quotes it is a text, else a number where it is one.
    fileprivate static let start = Form(
        type: .text,
        read: { node, reading in
            guard let text = reading.text(node) else { return nil }
            if case .scalar(_, isPlain: false) = node.content { return .string(text) }
            return KeptPosition.number(text)
        }, write: { $0 })
}
