import JSON
import JobFiles

/// Finds where a page's records are.
struct RecordFinder: Sendable {
    /// Ten times the largest `size`, for each record takes room in every column.
    private static let recordsMax = 100_000

    let records: Records

    /// Finds the records of a page.
    ///
    /// In a nested path a parent may have no children, and a page no parents. Throws `PageError.malformed` where the path
    /// leads to no array: taken for an empty page, it would end the pass.
    func find(in root: JSONNode, _ tree: JSONTree) throws -> [FoundValue] {
        var found = [FoundValue(root.treeIndex)]
        for step in records.at.steps {
            switch step {
            case .member(let name):
                let name = Array(name.utf8)
                let members = found.compactMap { $0.member(name, tree) }
                guard found.isEmpty || !members.isEmpty else { throw noArray }
                found = members
            case .each:
                guard found.allSatisfy({ isList($0, tree) }) else { throw noArray }
                found = found.flatMap { $0.elements(tree) }
                guard found.count <= Self.recordsMax else {
                    throw PageError.malformed("the page has more than \(Self.recordsMax) records")
                }
            }
        }
        return found
    }

    private func isList(_ found: FoundValue, _ tree: JSONTree) -> Bool {
        let kind = tree.kind(at: found.index)
        return kind == .array || kind == .object && records.countsOneAsList
    }

    private var noArray: PageError {
        .malformed("the page has no array at \(records.at)")
    }
}
