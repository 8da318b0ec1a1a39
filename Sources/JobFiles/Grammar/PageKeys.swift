/// The keys that a `page` of every style has.
enum PageKey: String, KeySet {
    case style, size
    case maxPages = "max_pages"

    static let title = "page"
    static let meaning = "How a pass goes from page to page; the style decides the other keys."
    static let rules: [KeyRule] = [
        .when(.has("end", ["short_page"]), [.needs(["size"])]),
        .when(.has("style", ["single"]), [.forbids(["max_pages"])]),
    ]

    var key: KeyFacts {
        switch self {
        case .style:
            KeyFacts(
                .words(of: PageStyle.self, "style"), .required,
                "Where the next position is and what ends a pass.")
        case .size:
            KeyFacts(
                .integer(1...10_000), .optional("with `cloudkit` 200, also the most"),
                "How many records are asked for at once. It is sent where `{page.size}` stands.",
                withPreset: .integer(1...CloudKitAddress.batchMax))
        case .maxPages:
            KeyFacts(
                .integer(1 ... .max), .optional("10000"),
                "A run that reaches it yields with its cursor kept; it never ends a pass.")
        }
    }

    static var variants: Variants? {
        Variants(
            key: "style",
            all: PageStyle.allCases.map {
                Variant($0.rawValue, $0.keys, $0.meaning, in: $0.context)
            })
    }
}

/// The words of `page.style`.
enum PageStyle: String, CaseIterable {
    case single, token
    case nextURL = "next_url"
    case linkHeader = "link_header"
    case offset, page, keyset
    case syncToken = "sync_token"

    /// The keys that only this style has.
    var keys: (any KeySet.Type)? {
        switch self {
        case .single: nil
        case .linkHeader: LinkHeaderKey.self
        case .token: TokenKey.self
        case .nextURL: NextURLKey.self
        case .offset: OffsetKey.self
        case .page: NumberKey.self
        case .keyset: KeysetKey.self
        case .syncToken: SyncTokenKey.self
        }
    }

    /// The operations of a preset page by tokens only.
    var context: KeyFacts.Context {
        switch self {
        case .token, .syncToken: .anywhere
        default: .withoutPreset
        }
    }

    /// The request must send `{page.token}`, or must not.
    var sendsToken: Bool {
        switch self {
        case .single, .nextURL, .linkHeader: false
        case .token, .offset, .page, .keyset, .syncToken: true
        }
    }

    var meaning: String {
        switch self {
        case .single: "There is one request; the pass ends after it."
        case .token:
            "The next position stands in the body. The pass ends where the token is absent, null, `false` or empty."
        case .nextURL:
            "The whole URL of the next page stands in the body or in a header field. The pass ends where it is absent."
        case .linkHeader:
            "The next page stands in `Link: <…>; rel=\"next\"`. The pass ends where there is no such link."
        case .offset:
            "`{page.token}` is `start` plus the elements received of the outermost list of `records.at`. The pass ends at an empty page, or when the total is reached."
        case .page:
            "`{page.token}` is a number counted from `start`. The pass ends where the source says so, else at an empty page."
        case .keyset:
            "`{page.token}` is the largest position seen. The pass ends without progress, and with `by` at an empty page."
        case .syncToken:
            "The next position stands in the body and outlives the pass. The pass ends when `more_at` is false."
        }
    }
}

/// Keys that several styles have whose positions are the source's own.
private enum Naming {
    static let end = KeyFacts(
        .words(of: Page.End.self, "end"),
        .optional("a page without records ends no pass that has a next position"),
        "What ends the pass beside its own sign: with `empty_page` a page without records, with `short_page` "
            + "one of fewer than `size`, with `repeated` one that shows the records of the page before, wherever it leads, "
            + "or none and the position that it was asked for. A page that names that position and shows others is asked "
            + "for once more; without the word it is a `cursor_loop`. For sources that give a next position for ever.",
        in: .withoutPreset)

    static let origin = KeyFacts(
        .word(["base"], noun: "origin"),
        .optional("the next page must be at the source's own origin"),
        "With `base` the path and query of the link are asked for at the origin of the source, whatever other "
            + "origin it names. For sources behind a proxy that do not know their own name. Nobody else is asked."
    )
}

/// A key that all styles with several pages have.
private let moreAtKey = KeyFacts(
    .formed(.innerPath), .optional(nil),
    "Where the source says, with true or false, whether more follows. The pass ends at false; where nothing stands "
        + "there the style's own sign counts. True without a next position is `truncated`, and no end.",
    in: .withoutPreset)

/// Keys that several styles have which count.
private enum Counting {
    static let end = KeyFacts(
        .word([Page.End.shortPage.rawValue, Page.End.repeated.rawValue], noun: "end"),
        .optional("only an empty page ends the pass"),
        "With `short_page` a page of fewer than `size` records ends the pass as well. Leave it out when "
            + "the server may send less than it was asked for. With `repeated` a page that shows the records of the one "
            + "before does, for sources that give their last page again behind it. Without it such a page ends the pass too once two "
            + "pages differed, and as the end is not proven unless the page is shorter than another (`end_unproven`), nothing "
            + "is deleted then; where the second page shows the first one, it is a `cursor_loop`.")

    static let keysetEnd = KeyFacts(
        .word([Page.End.shortPage.rawValue, Page.End.emptyPage.rawValue], noun: "end"),
        .optional(
            "a page without records ends the pass, but with `token_at` only if its position did not move"
        ),
        "With `short_page` a page of fewer than `size` records ends the pass as well. With `empty_page` a page without "
            + "records ends it also where its position at `token_at` moved, as in sources that give the time of their answer."
    )

    static let total = KeyFacts(
        .formed(.innerPath), .optional(nil),
        "Where the source says how many elements the outermost list of `records.at` has on all pages. The pass ends when "
            + "so many were received.")
}

/// The keys of style `token`.
enum TokenKey: String, KeySet {
    case tokenAt = "token_at"
    case moreAt = "more_at"
    case end

    static let title = "page_token"
    static let meaning = PageStyle.token.meaning

    var key: KeyFacts {
        switch self {
        case .tokenAt:
            KeyFacts(
                .anyOf([.formed(.innerPath), .mapping(TokenLocationKey.self)]),
                .requiredWithoutPreset,
                "Where the next token is: a path into the body, or a mapping for another place.",
                withPreset: .formed(.presetPath))
        case .moreAt: moreAtKey
        case .end: Naming.end
        }
    }
}

/// The keys of a `token_at` that is no path.
enum TokenLocationKey: String, KeySet {
    case header
    case last

    static let title = "token_place"
    static let meaning = "Where the next token is, when it is not at a path of the body."
    static let alternatives = allCases

    var key: KeyFacts {
        switch self {
        case .header:
            KeyFacts(.formed(.headerName), .optional(nil), "The header field that holds it.")
        case .last:
            KeyFacts(
                .formed(.innerPath), .optional(nil),
                "Where in the last element of the outermost list it is, such as `id`. The pass ends at a page without any."
            )
        }
    }
}

/// The keys of style `link_header`.
enum LinkHeaderKey: String, KeySet {
    case endIf = "end_if"
    case moreAt = "more_at"
    case end, origin

    static let title = "page_link_header"
    static let meaning = PageStyle.linkHeader.meaning

    var key: KeyFacts {
        switch self {
        case .endIf:
            KeyFacts(
                .named(.text, by: .notEmpty, isFilled: true), .optional(nil),
                "Parameters of the link, by name. The pass ends where the link to the next page has all of "
                    + "these values, such as `{ results: \"false\" }`.")
        case .moreAt: moreAtKey
        case .end: Naming.end
        case .origin: Naming.origin
        }
    }
}

/// The keys of style `next_url`.
enum NextURLKey: String, KeySet {
    case urlAt = "url_at"
    case urlHeader = "url_header"
    case moreAt = "more_at"
    case end, origin

    static let title = "page_next_url"
    static let meaning = PageStyle.nextURL.meaning
    static let alternatives: [NextURLKey] = [.urlAt, .urlHeader]

    var key: KeyFacts {
        switch self {
        case .urlAt: KeyFacts(.formed(.innerPath), .optional(nil), "Where in the body the URL is.")
        case .urlHeader:
            KeyFacts(.formed(.headerName), .optional(nil), "The header field that holds the URL.")
        case .moreAt: moreAtKey
        case .end: Naming.end
        case .origin: Naming.origin
        }
    }
}

/// The keys of style `offset`.
enum OffsetKey: String, KeySet {
    case start
    case totalAt = "total_at"
    case moreAt = "more_at"
    case end

    static let title = "page_offset"
    static let meaning = PageStyle.offset.meaning

    var key: KeyFacts {
        switch self {
        case .start: KeyFacts(.integer(0 ... .max), .default("0"), "The first position.")
        case .totalAt: Counting.total
        case .moreAt: moreAtKey
        case .end: Counting.end
        }
    }
}

/// The keys of style `page`.
enum NumberKey: String, KeySet {
    case start
    case lastAt = "last_at"
    case nextAt = "next_at"
    case totalAt = "total_at"
    case moreAt = "more_at"
    case end

    /// The keys that say where counted pages end: one, so that two can't disagree.
    static let ends: [NumberKey] = [.lastAt, .nextAt, .totalAt]

    static let title = "page_number"
    static let meaning = PageStyle.page.meaning
    static let rules: [KeyRule] = [.atMostOne(ends.map(\.rawValue))]

    var key: KeyFacts {
        switch self {
        case .start: KeyFacts(.integer(0 ... .max), .default("1"), "The number of the first page.")
        case .lastAt:
            KeyFacts(
                .formed(.innerPath), .optional(nil),
                "Where the source gives the last page's number, or says whether this page is the last one. "
                    + "The pass ends at that page, or at `true`.")
        case .nextAt:
            KeyFacts(
                .formed(.innerPath), .optional(nil),
                "Where the source gives the next page's number, a link to it, or `true`. The pass ends where "
                    + "it is absent, null, empty or `false`; an empty page does not end it.")
        case .totalAt: Counting.total
        case .moreAt: moreAtKey
        case .end: Counting.end
        }
    }
}

/// The keys of style `keyset`.
enum KeysetKey: String, KeySet {
    case tokenAt = "token_at"
    case by, start, persist
    case moreAt = "more_at"
    case end

    static let title = "page_keyset"
    static let meaning = PageStyle.keyset.meaning
    static let alternatives: [KeysetKey] = [.tokenAt, .by]

    var key: KeyFacts {
        switch self {
        case .tokenAt:
            KeyFacts(.formed(.innerPath), .optional(nil), "Where in the body the position is.")
        case .by:
            KeyFacts(
                .name, .optional(nil),
                "The field of the records that is the position: a required int, decimal, timestamp or text."
            )
        case .start:
            KeyFacts(
                .text, .required,
                "The first position. With `token_at` it stands in a body as it is written here: in quotes as a text, "
                    + "else as a number.")
        case .persist:
            KeyFacts(
                .boolean, .default("false"), "With `true` the position is kept after the pass.")
        case .moreAt: moreAtKey
        case .end: Counting.keysetEnd
        }
    }
}

/// The keys of style `sync_token`.
enum SyncTokenKey: String, KeySet {
    case tokenAt = "token_at"
    case moreAt = "more_at"

    static let title = "page_sync_token"
    static let meaning = PageStyle.syncToken.meaning

    var key: KeyFacts {
        switch self {
        case .tokenAt:
            KeyFacts(
                .formed(.innerPath), .requiredWithoutPreset, "Where the next token is.",
                withPreset: .formed(.presetPath))
        case .moreAt:
            KeyFacts(
                .formed(.innerPath), .requiredWithoutPreset,
                "Where the source says, with true or false, whether more is coming.",
                withPreset: .formed(.presetPath))
        }
    }
}
