public import JSON
public import JobFiles

extension Records {
    /// The page with a list in place of the object that holds a record in each of its members.
    ///
    /// An empty array stays: some sources write an empty map so. What leads elsewhere is left for `RecordFinder` to tell.
    public func withList(_ document: JSONDocument) throws -> JSONDocument {
        guard countsMapAsList, let value = document.root.value else { return document }
        let names = at.steps.prefix { $0 != .each }.map { step in
            if case .member(let name) = step { name } else { "" }
        }
        let listed = value.listing(names[...])
        return listed == value ? document : try JSONDocument(parsing: listed.bytes)
    }
}

extension JSONValue {
    /// The same with the object at the end of the names as a list of `{key, value}`.
    fileprivate func listing(_ names: ArraySlice<String>) -> JSONValue {
        guard case .object(let members) = self else { return self }
        guard let name = names.first else {
            return .array(
                members.map {
                    .object([
                        JSONMember("key", .string($0.name)), JSONMember("value", $0.value),
                    ])
                })
        }
        return .object(
            members.map {
                $0.name == name ? JSONMember(name, $0.value.listing(names.dropFirst())) : $0
            })
    }
}
