import Basics
import Glibc
import JobQueue
import Secrets

/// Seals what the `--secret` options name; nil when there is none.
///
/// Reads key and files now, so that a mistake is found before the database is asked.
func sealing(_ arguments: ParsedArguments, _ context: Context) throws -> Sealing? {
    guard !arguments.assignments("secret").isEmpty else { return nil }
    let sealer = try context.settings.sealer()
    return sealing(try readSecrets(arguments, context), with: sealer)
}

/// What the `--secret` options name.
func readSecrets(
    _ arguments: ParsedArguments, _ context: Context
) throws(Failure) -> [(name: String, value: SecretValue)] {
    var secrets: [(name: String, value: SecretValue)] = []
    for named in arguments.assignments("secret") {
        secrets.append((name: named.name, value: try readSecret(named, context)))
    }
    return secrets
}

/// Tells that secrets stand sealed with different keys, of which a worker has one.
///
/// Called when some were stored: by a wrong `JOBRUNNER_KEY_FILE` they would be worth nothing to the workers.
func tellOtherKey(_ queue: Queue, _ context: Context) async throws {
    let own = try context.settings.sealer().keyID
    guard let other = try await queue.sealingKey(otherThan: own) else { return }
    context.output.complain(
        "note: this was sealed with key \(own), and other secrets are with key \(other); a worker opens those of"
            + " its own key, and jobrunner doctor names the rest")
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
private func readSecret(
    _ assignment: Assignment, _ context: Context
) throws(Failure) -> SecretValue {
    let path: String? = if case .file(let path) = assignment.value { path } else { nil }
    // With the end of the line, which is not part of the secret.
    var bytes = try readSecretFile(
        path, limit: CredentialForm.bytesMax + 2, credentials: context.settings.credentials,
        unfit: .data)
    defer { explicit_bzero(&bytes, bytes.count) }
    var end = bytes.count
    if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    if let fault = CredentialForm.text.fault(of: bytes[..<end]) {
        throw Failure(
            .data, "secret \(quoted(assignment.name)): \(path ?? "standard input") \(fault)")
    }
    return SecretValue(bytes[..<end])
}
