import Foundation
import Testing

@Suite struct ImportAirbyteTests {
    private func manifest(_ authenticator: String) -> String {
        """
        version: 6.0.0
        type: DeclarativeSource
        streams:
          - type: DeclarativeStream
            name: Tickets
            primary_key: id
            schema_loader: { type: InlineSchemaLoader, schema: { properties: { id: { type: string } } } }
            retriever:
              type: SimpleRetriever
              requester: { type: HttpRequester, url_base: "https://api.helpdesk.example", path: /tickets, authenticator: \(authenticator) }
              record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [tickets] } }
        spec: { type: Spec, connection_specification: { properties: { key: { type: string, airbyte_secret: true } } } }
        """
    }

    @Test func `what is written is valid, what is there stays, and what is left is told`()
        async throws
    {
        try await Installation.with { installation in
            let whole = try installation.write(
                "helpdesk.yaml",
                manifest("{ type: BearerAuthenticator, api_token: \"{{ config['key'] }}\" }"))
            let folder = installation.folder.path + "/made"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let command = "import airbyte \(whole) --out \(folder)"
            let output = try await installation.ok(command)
            #expect(output.hasSuffix("1 stream: 1 translated, 0 left\n"))
            try await installation.ok("validate \(folder)/helpdesk.yaml")
            let again = try await installation.run(command)
            #expect(again.code == 65)
            #expect(again.errors.contains("is there already"))
            let half = try installation.write(
                "other.yaml", manifest("{ type: CustomAuthenticator, class_name: x.Y }"))
            let ran = try await installation.run("import airbyte \(half)")
            #expect(ran.code == 1)
            #expect(ran.output == "1 stream: 0 translated, 1 left\n")
            #expect(ran.errors.hasPrefix("Tickets: authenticator: CustomAuthenticator: "))
        }
    }
}
