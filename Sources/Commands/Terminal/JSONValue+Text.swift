import JSON

extension JSONValue {
    /// A member's text, whatever it is; empty for none.
    func text(_ name: String) -> String {
        let value = self[name] ?? .null
        return value.string ?? value.numberText ?? ""
    }
}
