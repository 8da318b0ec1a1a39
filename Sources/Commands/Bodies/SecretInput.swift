import Glibc
import JobQueue
import Secrets

/// A credential is some kilobytes at most, even as a PEM file.
private let secretBytesMax = 64 << 10

/// Seals what the `--secret` options name; nil when there is none.
///
/// Reads key and files now, so that a mistake is found before the database is asked.
func sealing(_ arguments: ParsedArguments, _ context: Context) throws -> Sealing? {
    guard !arguments.assignments("secret").isEmpty else { return nil }
    let sealer = try context.settings.sealer()
    return sealing(try readSecrets(arguments), with: sealer)
}

/// What the `--secret` options name.
func readSecrets(
    _ arguments: ParsedArguments
) throws(Failure) -> [(name: String, value: SecretValue)] {
    var secrets: [(name: String, value: SecretValue)] = []
    for named in arguments.assignments("secret") {
        secrets.append((name: named.name, value: try readSecret(named)))
    }
    return secrets
}

/// Seals secrets for whoever they are given to.
func sealing(_ secrets: [(name: String, value: SecretValue)], with sealer: Sealer) -> Sealing {
    { tenant, user in
        secrets.map { name, value in
            let owner = SecretOwner(tenantID: tenant, userID: user, name: name)
            return (name: name, sealed: sealer.seal(value, for: owner))
        }
    }
}

/// The bytes of a secret without the newline that editors and `echo` leave at its end.
private func readSecret(_ assignment: Assignment) throws(Failure) -> SecretValue {
    let path: String? = if case .file(let path) = assignment.value { path } else { nil }
    var bytes = try readFile(path, limit: secretBytesMax)
    defer { explicit_bzero(&bytes, bytes.count) }
    var end = bytes.count
    if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    guard end > 0 else {
        throw Failure(
            .data, "secret \(quoted(assignment.name)): \(path ?? "standard input") is empty")
    }
    return SecretValue(bytes[..<end])
}
