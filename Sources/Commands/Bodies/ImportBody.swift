import JSON
import JobQueue

/// Users that one transaction adds: nobody waits long for one.
private let batchMax = 1000
/// A million users with some attributes each; a larger file is another file than was meant.
private let usersBytesMax = 512 << 20

/// `jobrunner user import`: as many users as a file has lines.
func importUsers(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let tenant = arguments.required("tenant")
    let path = arguments.subject == "-" ? nil : arguments.subject
    let users = try newUsers(path)
    let within = arguments.duration("within") ?? .zero
    let added = try await context.withQueue { queue in
        var added = 0
        for start in stride(from: 0, to: users.count, by: batchMax) {
            let batch = Array(users[start..<min(start + batchMax, users.count)])
            added += try await queue.addUsers(batch, tenant: tenant, within: within)
        }
        return added
    }
    var words = "added \(counted(added, "user")) to tenant \(tenant)"
    if added < users.count { words += "; \(users.count - added) were there already" }
    if added > 0, within > .zero {
        words += "; their first runs are spread over \(spanWords(seconds: within / .seconds(1)))"
    }
    try context.say(words)
    return .ok
}

/// One user a line: a key, or `{"key": "ann", "attributes": {"region": "eu"}}`.
private func newUsers(_ path: String?) throws(Failure) -> [NewUser] {
    let name = path ?? "standard input"
    let bytes = try readFile(path, limit: usersBytesMax)
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(.data, "\(name) is no text in UTF-8; expected one user a line")
    }
    var users: [NewUser] = []
    for (at, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        let line = trimmed(line)
        guard !line.isEmpty else { continue }
        guard let user = newUser(line) else {
            throw Failure(
                .data,
                "\(name), line \(at + 1): expected a key, or "
                    + #"{"key": "ann", "attributes": {"region": "eu"}}"#)
        }
        users.append(user)
    }
    return users
}

private func newUser(_ line: String) -> NewUser? {
    guard line.hasPrefix("{") else { return NewUser(key: line) }
    guard let document = try? JSONDocument(parsing: Array(line.utf8)),
        let key = document.root["key"]?.string
    else { return nil }
    guard let attributes = document.root["attributes"] else { return NewUser(key: key) }
    guard let value = attributes.value, case .object = value else { return nil }
    return NewUser(key: key, attributes: value.text)
}
