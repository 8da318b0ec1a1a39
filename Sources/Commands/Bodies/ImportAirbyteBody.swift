import Glibc
import Importing
import JSON
import JobFiles

/// `jobrunner import airbyte`: job files of a manifest, and a line for each thing that none can say.
func importAirbyte(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let path = arguments.subject
    let bytes = try readFile(path, limit: AirbyteImport.bytesMax)
    let streams = arguments.text("stream")?.split(separator: ",").map(String.init) ?? []
    let options = AirbyteImport.Options(
        source: arguments.text("source") ?? sourceName(of: path), streams: streams,
        auth: arguments.text("auth"))
    let imported = try AirbyteImport.reading(bytes, file: path, options).get()
    guard imported.unknown.isEmpty else {
        throw Failure(
            .data, "\(path) has no stream \(imported.unknown.joined(separator: ", "))")
    }
    if let folder = arguments.text("out") {
        let licence = licence(beside: path)
        for file in imported.files {
            let note =
                "# Made by jobrunner import airbyte. The licence of the manifest holds for this file\(licence.map { ": \($0)" } ?? "").\n"
            try write(note + file.text, to: "\(folder)/\(file.name)")
            try context.say("\(folder)/\(file.name)")
        }
    }
    for line in imported.needs + imported.notes { try context.say(line) }
    for line in imported.left { context.output.complain(line.description) }
    try context.say(
        "\(counted(imported.total, "stream")): \(imported.translated) translated, \(imported.total - imported.translated) left"
    )
    return imported.left.isEmpty ? .ok : .failure
}

/// `…/source-helpdesk/manifest.yaml` is of `helpdesk`.
private func sourceName(of path: String) -> String {
    let parts = path.split(separator: "/").map(String.init)
    let file = parts.last?.split(separator: ".").first.map(String.init) ?? "source"
    let name = file == "manifest" ? parts.dropLast().last ?? "source" : file
    return name.hasPrefix("source-") ? String(name.dropFirst("source-".count)) : name
}

/// What the metadata.yaml beside it says of the connector's licence; nil without one.
private func licence(beside path: String) -> String? {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let metadata = (folder + ["metadata.yaml"]).joined(separator: "/")
    guard let bytes = try? readFile(metadata, limit: 1 << 20),
        let value = try? PlainYAML.value(of: bytes, file: metadata, bytesMax: 1 << 20).get()
    else { return nil }
    return value["data"]?["license"]?.string.map { readableLine($0).filter { $0 != "\n" } }
}

/// Writes a new file; one that is there may hold somebody's changes.
private func write(_ text: String, to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
        throw Failure(
            errno == EEXIST ? .data : .noInput,
            "\(path): \(errno == EEXIST ? "is there already; move it away first" : systemMessage(errno))"
        )
    }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw Failure(.failure, "\(path): \(systemMessage(errno))") }
        rest = rest.dropFirst(count)
    }
}
