import JSON
public import JobFiles

/// Job files made of a declarative manifest of an Airbyte connector, and what could not be said in one.
public struct AirbyteImport: Sendable {
    /// A manifest is larger than a job file: it brings its schemas.
    public static let bytesMax = 4 << 20

    /// What a person chooses.
    public struct Options: Sendable {
        /// The streams that are wanted; empty: all.
        public var streams: [String] = []
        /// Which of several ways to sign in.
        public var auth: String?
        /// The name of the source, of letters, digits and `_`.
        public var source: String

        /// All streams, by the first way to sign in that can be said.
        public init(source: String, streams: [String] = [], auth: String? = nil) {
            self.source = snakeCase(source)
            self.streams = streams
            self.auth = auth
        }
    }

    /// A job file, which `JobFile.parse` has taken.
    public struct File: Sendable, Equatable {
        /// Such as `helpdesk.yaml`.
        public var name: String
        /// Its text.
        public var text: String
    }

    /// The files, none of which has a mistake.
    public private(set) var files: [File] = []
    /// How many streams the manifest has, of those that were asked for.
    public private(set) var total = 0
    /// How many of them stand in the files.
    public private(set) var translated = 0
    /// What is left of the others, and of the rest of the manifest.
    public private(set) var left: [Left] = []
    /// What was translated and should be known: `stream: note`.
    public private(set) var notes: [String] = []
    /// What a user of the files must have, a line each.
    public private(set) var needs: [String] = []
    /// Streams that were asked for and are none of the manifest's.
    public private(set) var unknown: [String] = []

    /// Reads a manifest and translates it; on failure every mistake of its YAML.
    public static func reading(
        _ bytes: [UInt8], file: String, _ options: Options
    ) -> Result<AirbyteImport, Mistakes> {
        PlainYAML.value(of: bytes, file: file, bytesMax: bytesMax).map {
            AirbyteImport($0, options)
        }
    }

    init(_ manifest: JSONValue, _ options: Options) {
        let resolver = ManifestResolver(root: manifest)
        let spec = try? resolver.component(manifest["spec"] ?? .null)
        let config = ConfigTable(spec: spec, source: options.source)
        let translator = StreamTranslator(config: config, chosenAuth: options.auth)
        var wanted: [String] = []
        for stream in Self.streams(of: manifest) {
            let component: JSONValue
            do {
                component = try resolver.component(stream)
            } catch {
                total += 1
                left.append(
                    Left(
                        stream: stream["name"]?.string ?? "stream", place: "stream",
                        what: error.what, why: error.why, nearest: error.nearest))
                continue
            }
            for inner in component["streams"]?.elements ?? [component] {
                let name =
                    inner["name"]?.scalarText ?? inner["incremental_stream"]?["name"]?.scalarText
                    ?? "stream"
                guard options.streams.isEmpty || options.streams.contains(name) else { continue }
                total += 1
                wanted.append(name)
                translator.translate(inner)
            }
        }
        unknown = options.streams.filter { !wanted.contains($0) }
        left += translator.left
        for (index, _) in (manifest["dynamic_streams"]?.elements ?? []).enumerated() {
            left.append(
                Left(
                    stream: "dynamic_streams[\(index)]", place: "stream",
                    what: "DynamicDeclarativeStream",
                    why: "streams that the source names at run time",
                    nearest: "an entity for each that you need"))
        }
        var assembly = FileAssembly(source: options.source)
        assembly.assemble(translator.entities)
        left += assembly.left
        files = assembly.files
        let written = Set(assembly.written.map(\.stream))
        // A stream that something is left of is not translated, also where another one of its name is.
        translated = wanted.count { written.contains($0) }
        notes = translator.notes.filter { written.contains($0.stream) }.map {
            "\($0.stream): \($0.text)"
        }
        needs = Self.needs(of: assembly.written, config)
    }

    private static func streams(of manifest: JSONValue) -> [JSONValue] {
        manifest["streams"]?.elements ?? []
    }

    /// Who has what: Airbyte has one configuration for each connection, a job one for each user.
    private static func needs(of entities: [EntityDraft], _ config: ConfigTable) -> [String] {
        let secrets = Set(entities.flatMap(\.secrets)).sorted().map { name in
            let isOfApp = ["client_id", "client_secret", "app_key", "app_secret", "app_id"].contains
            { name.hasSuffix($0) }
            return isOfApp
                ? "secret \(name): of the tenant (tenant set --secret)"
                : "secret \(name): of each user (user set --secret)"
        }
        let names = Set(entities.flatMap(\.inputs.keys)).sorted()
        return secrets + names.map { "attribute \($0): of each user (user set --set)" }
    }
}
