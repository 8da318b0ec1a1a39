import JSON

extension Recovery {
    fileprivate static let blank = Recovery(
        name: "", statuses: [], codes: [], reasonHas: [], steps: [], then: .fail, times: 0)
}

extension Mapping where Model == Recovery {
    fileprivate static let recover = Mapping(
        "recover", "A declared failure and its cure.", blank: .blank
    ) {
        required(
            "name", \.name, .name,
            "The name of the recovery, unique in the entity, and the error's word when it is spent."
        )
        part("if", failure, .required, "What means the failure; any of its keys is enough.")
        usual(
            "do", \.steps, .wholeList(.recoveryStep),
            """
            The cures in order. A call whose list is empty makes recovery impossible. `forget_token` \
            drops the position that outlives passes. `cloudkit.create_zone` makes the zone of the \
            entity; one that was read before was deleted by its user, and only a repair makes it again.
            """)
        required(
            "then", \.then, .word("end"), "What follows the cures.")
        required(
            "times", \.times, .integer(1...10),
            "How often at most: for each page, with `full_pass` for each run.")
    }

    private static let failure = Mapping(
        "failure", "What means a failure; any of the keys is enough.", blank: .blank,
        rules: [.atLeastOneKey]
    ) {
        usual(
            "status", \.statuses, .oneOrMore(.status),
            "The status of the answer, but not 401 and 421, which park the job.")
        usual(
            "code", \.codes, .oneOrMore(.errorCode),
            "The source's own code, whatever the status. It needs a preset.")
        usual(
            "reason_has", \.reasonHas,
            .oneOrMore(.notEmpty("an empty text is in every reason")),
            "Words in the source's reason, whatever the code. They need a preset.")
    } check: { place, _ in
        if case .mapping(let entries) = place.node.content, entries.isEmpty {
            place.reading.add(place.node, "missing key \"status\", \"code\" or \"reason_has\"")
        }
        for key in ["code", "reason_has"] where !place.scope.isCloudKit {
            place.report(
                ifThere: key,
                "\(key) needs source.preset: cloudkit; a plain answer has only a status")
        }
    }
}

extension Form where Value == [Recovery] {
    static let recoveries = list(Mapping<Recovery>.recover.form).check { recoveries, place in
        var names: Set<String> = []
        for element in place.node.elements {
            guard let name = element["name"]?.scalarText, !names.insert(name).inserted else {
                continue
            }
            place.reading.add(element, "recovery \"\(name)\" appears twice")
        }
    }
}

extension Form where Value == Int {
    /// They park the job, which nothing but a new secret cures.
    private static let parking = [401, 421]

    fileprivate static let status = Form(
        type: .integer(400...599, except: parking),
        read: { node, reading in
            guard let status = reading.int(node, 400...599) else { return nil }
            guard parking.contains(status) else { return status }
            reading.add(
                node,
                "\(status) parks the job until a new secret arrives; it can't be recovered from"
            )
            return nil
        }, write: { .integer($0) })
}

extension Form where Value == String {
    private static let parking = ["AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED"]

    /// Of an error at the source.
    fileprivate static let errorCode = text(.errorCode) { node, reading in
        guard let text = reading.text(node) else { return nil }
        guard text == text.uppercased(), text.holdsOnly("_"), !text.isEmpty else {
            reading.add(
                node, "\"\(excerpt(of: text))\" is no error code, expected one such as NOT_FOUND")
            return nil
        }
        if parking.contains(text) {
            reading.add(
                node, "\(text) parks the job until a new secret arrives; it can't be recovered from"
            )
        }
        return text
    }
}

extension Form where Value == Recovery.Step {
    private static let steps = ["forget_token", "cloudkit.create_zone"]

    fileprivate static let recoveryStep = Form(
        type: .formed(.recoveryStep),
        read: { node, reading in
            switch node.scalarText {
            case "forget_token": return .forgetToken
            case "cloudkit.create_zone": return .createZone
            default: break
            }
            guard let text = reading.text(node) else { return nil }
            guard let calls = reading.scope.calls, !calls.contains(text) else { return .call(text) }
            let isStep = nearestWord(to: text, in: steps) != nil
            reading.addUnknown(
                isStep ? "step" : "call", text, known: isStep ? steps : calls, at: node)
            return nil
        },
        write: { step in
            switch step {
            case .call(let name): .string(name)
            case .forgetToken: .string("forget_token")
            case .createZone: .string("cloudkit.create_zone")
            }
        })
}
