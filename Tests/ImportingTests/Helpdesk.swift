import JSON
import JobFiles
import Testing

@testable import Importing

/// A manifest of an invented service, with the parts that a test is about.
struct Helpdesk {
    var url = "https://api.helpdesk.example/v2"
    var requester = ""
    var authenticator = "{ type: BearerAuthenticator, api_token: \"{{ config['api_key'] }}\" }"
    var retriever = ""
    var stream = "primary_key: id"
    var extractor = "{ type: DpathExtractor, field_path: [tickets] }"
    var selector = ""
    var schema =
        "{ id: { type: string }, subject: { type: [string, \"null\"] }, updated: { type: string } }"
    var properties = "api_key: { type: string, airbyte_secret: true }"
    var required = "[api_key]"
    var others = ""

    /// The manifest as YAML.
    var text: String {
        """
        version: 6.0.0
        type: DeclarativeSource
        streams:
          - type: DeclarativeStream
            name: Tickets
        \(indented(stream, 4))
            schema_loader: { type: InlineSchemaLoader, schema: { type: object, properties: \(schema) } }
            retriever:
              type: SimpleRetriever
        \(indented(retriever, 6))
              requester:
                type: HttpRequester
                url_base: "\(url)"
                path: /tickets
                authenticator: \(authenticator)
        \(indented(requester, 8))
              record_selector:
                type: RecordSelector
                extractor: \(extractor)
        \(indented(selector, 8))
        \(others)
        spec:
          type: Spec
          connection_specification:
            type: object
            required: \(required)
            properties:
        \(indented(properties, 6))
        """
    }

    private func indented(_ text: String, _ count: Int) -> String {
        text.split(separator: "\n").map { String(repeating: " ", count: count) + $0 }
            .joined(separator: "\n")
    }

    /// What the importer makes of it; each file that it writes is read again here.
    func imported(_ options: AirbyteImport.Options = .init(source: "helpdesk")) throws
        -> AirbyteImport
    {
        let result = try AirbyteImport.reading(Array(text.utf8), file: "manifest.yaml", options)
            .get()
        for file in result.files { _ = try JobFile.parse(file.text, file: file.name).get() }
        return result
    }

    /// The one file, of which nothing was left.
    func file() throws -> String {
        let result = try imported()
        try #require(result.left.isEmpty, "\(result.left)")
        #expect(result.translated == result.total)
        return try #require(result.files.first).text
    }

    /// What was left.
    func left() throws -> [String] {
        let result = try imported()
        #expect(result.files.isEmpty)
        return result.left.map(\.description)
    }
}
