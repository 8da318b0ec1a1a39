import Glibc
import JobQueue

/// Users that one transaction adds: nobody waits long for one.
private let batchMax = 1000
/// A million users with some attributes each; a larger file is another file than was meant.
private let usersBytesMax = 512 << 20

/// `jobrunner user import`: as many users as a file has lines.
func importUsers(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let tenant = arguments.required("tenant")
    let path = arguments.subject == "-" ? nil : arguments.subject
    let users = try newUsers(path, arguments, context)
    let within = arguments.duration("within") ?? .zero
    let added = try await add(users, to: tenant, within: within, context)
    let secrets = users.reduce(0) { $0 + $1.secrets }
    var words = "added \(counted(added.users, "user")) to tenant \(tenant)"
    if secrets > 0 { words += " and \(counted(added.secrets, "secret"))" }
    let known = (users: users.count - added.users, secrets: secrets - added.secrets)
    if known.users > 0 { words += "; \(thereAlready(known.users, "user"))" }
    if known.secrets > 0 { words += "; \(thereAlready(known.secrets, "secret"))" }
    if added.woken > 0 { words += "; \(counted(added.woken, "job")) woken" }
    if added.users > 0, within > .zero {
        words += "; their first runs are spread over \(spanWords(seconds: within / .seconds(1)))"
    }
    try context.say(words)
    return .ok
}

/// Adds them batch by batch; what was added before an error stays.
private func add(
    _ users: [(user: NewUser, secrets: Int)], to tenant: String, within: Duration,
    _ context: Context
) async throws -> UsersAdded {
    try await showing("adding users to tenant \(tenant)") { progress in
        try await context.withQueue { queue in
            var added = UsersAdded()
            for start in stride(from: 0, to: users.count, by: batchMax) {
                progress.tell("\(start) of \(users.count)")
                let batch = Array(users[start..<min(start + batchMax, users.count)])
                let more = try await queue.addUsers(
                    batch.map(\.user), tenant: tenant, within: within)
                added.users += more.users
                added.secrets += more.secrets
                added.woken += more.woken
            }
            return added
        }
    }
}

private func thereAlready(_ count: Int, _ noun: String) -> String {
    "\(counted(count, noun)) \(count == 1 ? "was" : "were") there already"
}

/// The users of a file's lines, each with how many secrets it has.
private func newUsers(
    _ path: String?, _ arguments: ParsedArguments, _ context: Context
) throws -> [(user: NewUser, secrets: Int)] {
    var unfit: Failure?
    let lines = try importLines(path) { descriptor, path in
        unfit = unfitness(descriptor, path, credentials: context.settings.credentials, .data)
    }
    guard lines.contains(where: { !$0.secrets.isEmpty }) else {
        return lines.map { (NewUser(key: $0.key, attributes: $0.attributes), 0) }
    }
    // With secrets in it the file itself is one.
    if let unfit { throw unfit }
    let sealer = try sealer(arguments, context)
    return lines.map { line in
        let seal = line.secrets.isEmpty ? nil : sealer.sealing(line.secrets, of: line.key)
        return (
            NewUser(key: line.key, attributes: line.attributes, seal: seal), line.secrets.count
        )
    }
}

private func importLines(
    _ path: String?, check: (Int32, String) throws(Failure) -> Void
) throws(Failure) -> [ImportLine] {
    let name = path ?? "standard input"
    var bytes = try readFile(path, limit: usersBytesMax, check: check)
    defer { explicit_bzero(&bytes, bytes.count) }
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(.data, "\(name) is no text in UTF-8; expected one user a line")
    }
    var users: [ImportLine] = []
    for (at, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        let line = trimmed(line)
        guard !line.isEmpty else { continue }
        do throws(ImportLine.Mistake) {
            users.append(try ImportLine(line))
        } catch {
            throw Failure(.data, "\(name), line \(at + 1): \(error.words)")
        }
    }
    return users
}
