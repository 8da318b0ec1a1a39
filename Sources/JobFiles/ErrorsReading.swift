import JSON

/// `errors`: signs of failure inside answers of a good status.
extension NodeReading {
    func failureSigns(_ elements: [Node]) -> [FailureSign] {
        elements.compactMap { element in
            guard let keys = Keys(element, self, of: ErrorsKey.self) else { return nil }
            let at = keys.required(.at).flatMap { innerPath($0) }
            let values = keys[.mustBe].map { mustBe($0) }
            let wait = keys[.waitAt].flatMap { innerPath($0) }
            let message = keys[.messageAt].flatMap { innerPath($0) }
            guard let at else { return nil }
            return FailureSign(at: at, mustBe: values, waitAt: wait, messageAt: message)
        }
    }

    private func mustBe(_ node: Node) -> [JSONValue] {
        guard case .sequence = node.content else { return json(node).map { [$0] } ?? [] }
        return filledList(node)?.compactMap { json($0) } ?? []
    }
}
