/// `format` of a field.
extension NodeReading {
    /// How the value is written; of a time also the forms that are tried in their order.
    func format(_ node: Node, kind: Field.Kind?) -> (form: Field.Form, times: [TimeFormat])? {
        switch kind {
        case nil: return nil
        case .bool:
            guard node.isScalar(Field.Form.number.rawValue) else {
                add(node, "a field of type bool has format number")
                return nil
            }
            return (.number, [])
        case .int, .double, .decimal:
            guard node.isScalar(Field.Form.text.rawValue) else {
                add(node, "a field of type \(kind?.rawValue ?? "") has format text")
                return nil
            }
            return (.text, [])
        case .timestamp: return times(node)
        case .some(let kind):
            add(
                node,
                "format is for types timestamp, int, double, decimal and bool, not \(kind.rawValue)"
            )
            return nil
        }
    }

    private func times(_ node: Node) -> (form: Field.Form, times: [TimeFormat])? {
        guard case .sequence = node.content else {
            return time(node).map { Self.form($0) ?? (.plain, [$0]) }
        }
        guard let elements = filledList(node) else { return nil }
        var times: [TimeFormat] = []
        for element in elements {
            guard let time = time(element) else { continue }
            if times.contains(time) { add(element, "\(element.words) appears twice") }
            times.append(time)
        }
        if times.count == 1, let form = Self.form(times[0]) { return form }
        return times.isEmpty ? nil : (.plain, times)
    }

    /// A form that a single one is known by.
    private static func form(_ time: TimeFormat) -> (form: Field.Form, times: [TimeFormat])? {
        switch time {
        case .iso8601: (.plain, [])
        case .epochSeconds: (.epochSeconds, [])
        case .epochMilliseconds: (.epochMilliseconds, [])
        case .pattern: nil
        }
    }

    /// `also`: other words that may stand there, for what a mistake names.
    func time(_ node: Node, also: [String] = []) -> TimeFormat? {
        guard let text = text(node) else { return nil }
        if let named = TimeFormat(named: text) { return named }
        if text == Field.Form.text.rawValue {
            add(
                node, "a field of type timestamp has format iso8601, epoch_s, epoch_ms or a pattern"
            )
            return nil
        }
        if let near = nearestWord(to: text, in: TimeFormat.names + also) {
            add(node, "unknown format \(node.words); did you mean \"\(near)\"?", nearest: near)
            return nil
        }
        do {
            return .pattern(try TimePattern(text))
        } catch {
            add(
                node,
                "\(node.words) is no pattern of a time such as yyyy-MM-dd HH:mm:ss: \(error.words)")
            return nil
        }
    }
}
