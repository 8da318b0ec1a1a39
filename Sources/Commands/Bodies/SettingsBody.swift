import JSON

/// `jobrunner settings`: what is in force, and where it was found.
func settings(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let rows = Setting.allCases.map { setting -> JSONValue in
        let found = context.settings.found[setting]
        let value = found.map { setting.isSecret ? "(set, left out)" : $0.value }
        return .object([
            JSONMember("name", .string(setting.rawValue)),
            JSONMember("value", (value ?? setting.fallback).map { .string($0) } ?? .null),
            JSONMember("from", .string(found?.origin.words ?? "default")),
        ])
    }
    try context.show(
        Table([.name("name"), .prose("value"), .prose("from")], of: rows),
        asJSON: arguments.has("json"))
    return .ok
}
