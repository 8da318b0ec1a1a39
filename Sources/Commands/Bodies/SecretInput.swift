import Basics
import Glibc
import HTTP
import JobQueue
import Secrets

/// Seals what the `--secret` options name; nil when there is none.
///
/// `user` is whose they are; nil means the tenant's own.
///
/// Reads all files now, so that a mistake is found before the database is asked.
func sealing(
    _ arguments: ParsedArguments, of user: String?, _ context: Context
) throws -> Sealing? {
    guard !arguments.assignments("secret").isEmpty else { return nil }
    let secrets = try readSecrets(arguments, context)
    return try sealer(arguments, context).sealing(secrets, of: user)
}

/// Gives a new tenant its key at once where the key file is at hand; nil where it is not, and a worker does.
func keyMaking(_ context: Context) throws -> Sealing? {
    guard context.settings.hasKeyFile else { return nil }
    let sealer = SecretSealer(
        origins: [], files: [], keeper: try context.settings.keyKeeper())
    return sealer.sealing([], of: nil)
}

/// What secrets are sealed for: the origins of `--origin`, or where the job files send them.
func sealer(_ arguments: ParsedArguments, _ context: Context) throws -> SecretSealer {
    let origins = try arguments.texts("origin").map { text in
        guard let origin = Origin(url: text), text == origin.description else {
            throw Failure(
                .usage, "--origin \(quoted(text)): expected such as https://api.example.com")
        }
        return origin.description
    }
    return SecretSealer(
        origins: origins, files: origins.isEmpty ? try context.settings.jobFiles().right : [],
        keeper: context.settings.hasKeyFile ? try context.settings.keyKeeper() : nil)
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
