import Basics
import JSON

extension Mapping where Model == Source {
    static let source = Mapping(
        "source", "The external system.",
        blank: Source(
            id: "", base: "", preset: nil, auth: .none, timeout: .seconds(30), retry: .standard,
            rate: nil, headers: [], zone: nil),
        only: .byPreset(without: "a source without preset", with: "a source with preset")
    ) {
        required(
            "id", \.id, .sourceID, "The name under which budget and breaker are shared.")
        required(
            "base", \.base, .base,
            """
            The address of the source, without user, query, fragment or trailing slash. Without a preset its host and \
            its prefix may hold `{user.x}` for whole labels or segments. With a preset it is Apple's unless it is given. \
            It is https, but for `localhost`, `127.…` and `[::1]`.
            """
        ).unlessPreset()
        standard(
            "insecure", \.isInsecure, .boolean,
            """
            Whether the source, its token endpoint and a tenant's own address may be http. Whoever is on the way can \
            then read and change what is sent, secrets too. A host that users choose is https in any case.
            """)
        usual(
            "hosts", \.hosts, .filled(.hostPattern), without: "no user chooses a host",
            """
            The hosts that users may choose where `{user.x}` stands in the host of `base` or `token_url`. \
            `*` in front stands for any labels, and reaches public addresses only.
            """
        ).only(.withoutPreset)
        optional(
            "preset", \.presetWord, .words(["cloudkit"], noun: "preset"),
            without: "plain HTTP and JSON",
            "The protocol that the source speaks: a database of CloudKit Web Services.")
        required(
            "container", \.address.container, .container, "The CloudKit container."
        ).ofPreset
        required(
            "environment", \.address.environment, .word("environment"),
            "The environment of the container."
        ).ofPreset
        required(
            "database", \.address.database, .word("database"),
            "The database of the container. The key of a server reaches the public one only."
        ).ofPreset
        usual("auth", \.auth, .auth, "How a request proves whose it is.")
            .needed(.requiredWithPreset("`{ type: none }`; required with a preset"))
        standard(
            "timeout", \.timeout, .duration(.milliseconds(100) ... .minutes(10)),
            "The limit of one request.")
        usual("retry", \.retry, .retry, "How one request is repeated within a run.")
        optional("rate", \.rate, Mapping<Rate>.rate.form, "What the source allows.")
        usual(
            "headers", \.headers, .headers([]),
            "Header fields that are sent with every request. They may hold `{secret.x}`.")
        usual(
            "secrets", \.secrets, .named(\.name, Mapping<TakenSecret>.taken.form, noun: "secret"),
            without: "people alone set them",
            """
            The secrets that records of another job may bring, by name. What a person sets wins; without this what a record \
            has brought is not sent to the source.
            """)
        optional(
            "excerpts", \.excerpts, .boolean, without: "where no secret is sent or brought",
            """
            Whether errors quote the beginning of an answer that is refused. It may hold what was sent, or data of \
            persons; secrets are taken out.
            """)
        optional(
            "zone", \.zone, .zone, without: "such a time is UTC, and may move no watermark",
            """
            The time zone of times that name no offset: `Europe/Berlin`, `+02:00`, or an attribute of the \
            user such as `{user.time_zone}`.
            """
        ).only(.withoutPreset)
    }
}

extension Mapping where Model == TakenSecret {
    fileprivate static let taken = Mapping(
        "taken_secret", "A secret that is taken from records of another job.",
        blank: TakenSecret(name: "", from: "")
    ) {
        required(
            "from", \.from, .entityName,
            "The entity whose records bring it, such as `app.tokens.token`: the job's name and the entity's."
        )
    }
}

extension Key<Source> {
    /// Only a source with a preset has it.
    fileprivate var ofPreset: Key { only(.withPreset).when { $0.preset != nil } }
}

extension Form where Value == Source {
    /// Later parts of the file learn the preset's database, whatever else is wrong with the source.
    static let source = Form(
        type: Mapping<Source>.source.form.type,
        read: { node, reading in
            var blank = Mapping<Source>.source.blank
            if reading.scope.isCloudKit {
                blank.base = CloudKitAddress.base
                blank.retry = .cloudkit
            }
            guard let parts = Mapping<Source>.source.readParts(node, reading, from: blank) else {
                return nil
            }
            if parts.wrong.isDisjoint(with: ["preset", "container", "environment", "database"]) {
                reading.scope.address = parts.model.cloudkitAddress
            }
            if case .cloudkitServer = parts.model.auth, let address = reading.scope.address,
                address.database != .public, let type = node["auth"]?["type"]
            {
                reading.add(
                    type,
                    "a server's key reaches the public database only, not the \(address.database.rawValue) one; expected cloudkit_user"
                )
            }
            return parts.isReadable ? parts.model : nil
        }, write: Mapping<Source>.source.form.write)
}

extension Source {
    fileprivate var presetWord: String? {
        get { preset.map { _ in "cloudkit" } }
        set { preset = newValue.map { _ in .cloudkit(address) } }
    }

    fileprivate var address: CloudKitAddress {
        get {
            cloudkitAddress
                ?? CloudKitAddress(container: "", environment: .development, database: .private)
        }
        set { preset = .cloudkit(newValue) }
    }
}

extension Form where Value == RetryRule {
    /// A preset has waits of its own.
    fileprivate static let retry = Form(
        type: Mapping<RetryRule>.retry.form.type,
        read: {
            Mapping<RetryRule>.retry.read(
                $0, $1, from: $1.scope.isCloudKit ? .cloudkit : .standard)
        }, write: Mapping<RetryRule>.retry.form.write)
}

extension Form where Value == ZoneRule {
    static let zone = Form(
        type: .formed(.timeZone),
        read: { node, reading in
            guard let template = reading.template(node, []) else { return nil }
            if case .user(let name) = template.lonePlaceholder { return .attribute(name) }
            if let name = reading.text(node), TimeZone(named: name) != nil { return .named(name) }
            reading.add(
                node,
                "\(node.words) is no time zone, expected one such as Europe/Berlin, +02:00 or {user.time_zone}"
            )
            return nil
        },
        write: { zone in
            switch zone {
            case .named(let name): .string(name)
            case .attribute(let name): .text(Placeholder.user(name))
            }
        })
}
