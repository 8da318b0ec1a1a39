import JobFiles
import JobQueue

/// Far above any user's list; a larger file is another file than was meant.
private let listBytesMax = 64 << 20

/// A list that the command line replaces, and where job files keep lists of that name.
struct ListInput {
    let name: String
    let items: [String]
    /// By job.
    let columns: [(job: String, column: ListColumn)]

    /// What to replace for a tenant with these jobs; throws when none of them has the list.
    func replacements(jobs: [String]) throws(Failure) -> [(column: ListColumn, items: [String])] {
        let own = Set(columns.filter { jobs.contains($0.job) }.map(\.column))
        guard !own.isEmpty else {
            let hint = columns.isEmpty ? "" : "; \(choices(columns.map(\.job))) would have it"
            throw Failure(.data, "no job of the tenant declares a list \(quoted(name))\(hint)")
        }
        return own.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
            .map { (column: $0, items: items) }
    }
}

/// Reads what the `--list` options name.
///
/// Throws `Failure`, or `Mistakes` of the job files.
func readLists(_ arguments: ParsedArguments, _ context: Context) throws -> [ListInput] {
    let named = arguments.assignments("list")
    guard !named.isEmpty else { return [] }
    let files = try named.map { (name: $0.name, items: try readItems($0)) }
    let jobFiles = try context.settings.jobFiles().right
    return files.map { name, items in
        let columns = jobFiles.flatMap { file in
            file.lists.filter { $0.name == name }
                .map { (job: file.name, column: ListColumn(table: $0.table, column: $0.column)) }
        }
        return ListInput(name: name, items: items, columns: columns)
    }
}

/// One id a line; spaces around it and blank lines don't count.
private func readItems(_ assignment: Assignment) throws(Failure) -> [String] {
    guard case .file(let path) = assignment.value else { return [] }
    let bytes = try readFile(path, limit: listBytesMax)
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(.data, "\(path) is no text in UTF-8; expected one id a line")
    }
    return listItems(text)
}

/// The ids of a list's text.
func listItems(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).map(trimmed).filter { !$0.isEmpty }
}

/// Without the spaces around it.
func trimmed(_ line: Substring) -> String {
    var line = line.drop(while: \.isWhitespace)
    while line.last?.isWhitespace == true { line.removeLast() }
    return String(line)
}
