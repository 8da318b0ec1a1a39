/// `recover`: declared failures and their cures.
extension NodeReading {
    func recoveries(_ node: Node) -> [Recovery] {
        var names: Set<String> = []
        return (list(node) ?? []).compactMap { element in
            guard let keys = Keys(element, self, of: RecoverKey.self) else { return nil }
            let name = keys.name(.name)
            if let name, !names.insert(name).inserted {
                add(element, "recovery \"\(name)\" appears twice")
            }
            let failure = keys.value(.failure).flatMap { self.failure($0) }
            let steps = keys.elements(.steps)?.compactMap { recoveryStep($0) }
            let then = keys.word(.then, as: Recovery.Then.self)
            let times = keys.int(.times)
            guard let name, let failure, let then, let times else { return nil }
            return Recovery(
                name: name, statuses: failure.statuses, codes: failure.codes,
                reasonHas: failure.reasonHas, steps: steps ?? [], then: then, times: times)
        }
    }

    /// What means the failure; any of the keys is enough.
    private func failure(
        _ node: Node
    ) -> (statuses: [Int], codes: [String], reasonHas: [String])? {
        guard let keys = Keys(node, self, of: FailureKey.self) else { return nil }
        guard FailureKey.allCases.contains(where: { keys[$0] != nil }) else {
            if case .mapping(let entries) = node.content, entries.isEmpty {
                add(node, "missing key \"status\", \"code\" or \"reason_has\"")
            }
            return nil
        }
        for key in [FailureKey.code, .reasonHas] where !scope.isCloudKit {
            if let location = keys[key] {
                add(
                    location,
                    "\(key.rawValue) needs source.preset: cloudkit; "
                        + "a plain answer has only a status")
            }
        }
        let statuses = keys[.status].map { oneOrMore($0) { recoverable($0) } } ?? []
        let codes = keys[.code].map { oneOrMore($0) { errorCode($0) } } ?? []
        let reasons = keys[.reasonHas].map { oneOrMore($0) { reason($0) } } ?? []
        guard let statuses, let codes, let reasons else { return nil }
        return (statuses, codes, reasons)
    }

    /// One value or a list of them.
    private func oneOrMore<Value>(_ node: Node, _ read: (Node) -> Value?) -> [Value]? {
        guard case .sequence = node.content else { return read(node).map { [$0] } }
        return filledList(node)?.compactMap(read)
    }

    private func recoverable(_ node: Node) -> Int? {
        guard let status = int(node, FailureKey.statuses) else { return nil }
        guard FailureKey.parkingStatuses.contains(status) else { return status }
        add(node, "\(status) parks the job until a new secret arrives; it can't be recovered from")
        return nil
    }

    private func errorCode(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        let isClean = text.utf8.allSatisfy {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || isDigit($0)
                || $0 == UInt8(ascii: "_")
        }
        guard isClean, !text.isEmpty else {
            add(node, "\"\(excerpt(of: text))\" is no error code, expected one such as NOT_FOUND")
            return nil
        }
        if FailureKey.parkingCodes.contains(text) {
            add(
                node, "\(text) parks the job until a new secret arrives; it can't be recovered from"
            )
        }
        return text
    }

    private func reason(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        if text.isEmpty { add(node, "an empty text is in every reason") }
        return text
    }

    private func recoveryStep(_ node: Node) -> Recovery.Step? {
        switch node.scalarText {
        case "forget_token": return .forgetToken
        case "cloudkit.create_zone": return .createZone
        default: break
        }
        guard let text = text(node) else { return nil }
        guard let calls = scope.calls, !calls.contains(text) else { return .call(text) }
        let steps = ["forget_token", "cloudkit.create_zone"]
        let isStep = nearestWord(to: text, in: steps) != nil
        addUnknown(isStep ? "step" : "call", text, known: isStep ? steps : calls, at: node)
        return nil
    }
}
