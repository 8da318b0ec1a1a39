import JSON

/// `rest`.
extension NodeReading {
    /// How the lists are read on that `outer` leads to, if it leads to lists inside of records.
    func rest(_ node: Node, of outer: Path?, _ secrets: [BroughtSecret]?) -> Rest? {
        guard let keys = Keys(node, self, of: RestKey.self) else { return nil }
        let url = keys.value(.urlAt).flatMap { innerPath($0) }
        let at = keys.value(.at).flatMap { path($0, toOne: false) }
        let nextURL = keys[.nextAt].flatMap { innerPath($0) }
        let after = keys[.after].flatMap { restAfter($0) }
        if nextURL != nil, let node = keys[.after] {
            add(node, "next_at names each address; leave after out")
        }
        if secrets?.isEmpty == false {
            add(node, "records that bring secrets are read from their page alone; leave rest out")
        }
        if let at, at.steps.firstIndex(of: .each) != at.steps.count - 1, let node = keys[.at] {
            add(
                node,
                "expected a path to one list that ends with it, such as data[], found \"\(at)\"")
        }
        if let outer { check(outer, keys) }
        guard let url, let at else { return nil }
        return Rest(urlAt: url, at: at, next: nextURL.map { .url($0) } ?? after)
    }

    private func check(_ outer: Path, _ keys: Keys<RestKey>) {
        guard let list = outer.innerList else {
            return add(
                keys.node,
                "records.at must go through two [], such as data[].lines.data[], found \"\(outer)\"; leave rest out"
            )
        }
        if list.steps.count < 2, let node = keys[.after] {
            add(
                node,
                "the list \"\(list)\" lies in its record itself, where nothing says of it that it goes on; "
                    + "expected next_at, or neither")
        }
    }

    private func restAfter(_ node: Node) -> Rest.Next? {
        guard let keys = Keys(node, self, of: RestAfterKey.self) else { return nil }
        let query = keys.text(.query)
        let at = keys.value(.at).flatMap { innerPath($0) }
        guard let query, let at else { return nil }
        return .after(query: query, at)
    }
}

extension Path {
    /// The way from an element of the outer list to the inner one; nil when the path does not lead to a list inside a
    /// list.
    public var innerList: Path? {
        let lists = steps.indices.filter { steps[$0] == .each }
        guard lists.count == 2, lists[1] - lists[0] > 1 else { return nil }
        return Path(steps: Array(steps[(lists[0] + 1)..<lists[1]]))
    }
}
