extension RetryRule {
    /// What holds where a file says nothing: three attempts after one and two seconds.
    static let standard = RetryRule(
        attempts: 3, first: .seconds(1), factor: 2, jitter: 0.2,
        on: [.network, .timeout, .status(408), .status(429), .serverErrors],
        waitFrom: [.header("Retry-After")])

    /// CloudKit says in the body how long to wait, up to a day and more.
    static let cloudkit = {
        var rule = standard
        rule.waitFrom.append(.body(Path(steps: [.member("retryAfter")])))
        return rule
    }()
}

/// `retry`
extension NodeReading {
    func retryRule(_ node: Node, _ standard: RetryRule) -> RetryRule? {
        guard let keys = Keys(node, self, of: RetryKey.self) else { return nil }
        var rule = standard
        keys.int(.attempts).map { rule.attempts = $0 }
        keys.duration(.first).map { rule.first = $0 }
        keys.double(.factor).map { rule.factor = $0 }
        keys.double(.jitter).map { rule.jitter = $0 }
        keys.elements(.on).map { rule.on = $0.compactMap { retryClass($0) } }
        for key in [RetryKey.first, .factor, .jitter, .on] where rule.attempts == 1 {
            if let node = keys[key] {
                add(node, "with attempts: 1 nothing is repeated; leave \(key.rawValue) out")
            }
        }
        keys.elements(.waitFrom).map { rule.waitFrom = $0.compactMap { waitSource($0) } }
        return rule
    }

    private func retryClass(_ node: Node) -> RetryRule.Class? {
        guard let text = text(node) else { return nil }
        guard isJSONNumber(text), let status = Int(text) else {
            switch text {
            case "network": return .network
            case "timeout": return .timeout
            case "5xx": return .serverErrors
            default:
                addUnknown("failure", text, known: RetryKey.failures, at: node)
                return nil
            }
        }
        if [408, 425, 429].contains(status) || (500...599).contains(status) {
            return .status(status)
        }
        add(
            node,
            "\(status) is never retried: asking again gets the same answer; "
                + "expected 408, 425, 429 or 5xx")
        return nil
    }

    private func waitSource(_ node: Node) -> RetryRule.WaitSource? {
        guard let keys = Keys(node, self, of: WaitKey.self),
            let (key, value) = keys.alternative(),
            let unit = keys.word(.unit, as: RetryRule.WaitUnit.self)
        else { return nil }
        if keys[.unit] == nil, text(value)?.namesMilliseconds == true {
            add(value, "\(value.words) reads like milliseconds; add unit: ms, or unit: s")
        }
        if key == .body { return innerPath(value).map { .body($0, unit: unit) } }
        guard let name = text(value), isToken(name) else {
            if text(value) != nil { add(value, "\(value.words) is no name of a header field") }
            return nil
        }
        return .header(name, unit: unit)
    }
}

extension String {
    /// `retry_after_ms`, `x-ms-retry-after-ms`, `retryAfterMs`: without a unit it would be seconds.
    fileprivate var namesMilliseconds: Bool {
        ["_ms", "-ms", "Ms", "millis", "milliseconds"].contains { hasSuffix($0) }
    }
}
