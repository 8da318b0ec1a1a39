import JSON
import JobFiles
import Postgres
import Testing

@testable import Reading

/// Long texts that Core Data keeps as assets.
@Suite struct AssetTextsTests {
    private static let file = """
        version: 1
        job: notes.refresh
        schedule: { every: 1h, deadline: 60s }
        source:
          id: ck
          preset: cloudkit
          container: iCloud.com.example.notes
          environment: production
          database: private
          auth:
            type: cloudkit_user
            api_token: "{secret.api}"
            web_auth_token: "{secret.web}"
            rotates: true
        entities:
          - entity: note
            cloudkit: { op: core_data, entity: Note }
            page: { style: sync_token, size: 200 }
            records:
              key: [record_name]
              fields:
                record_name: { meta: recordName, type: text, required: true }
                text: { at: text, type: text }
                title: { at: title, type: text, default: none }
            write: { table: note, mode: newest_wins, newer_by: modified_at }
            push:
              record_type: Note
              record_name: "{row.record_name}"
              operation: create_or_update_with_tag
              on_conflict: { resolve: newest_wins, times: 2 }
        """

    private var reader: PageReader {
        get throws {
            PageReader(try JobFile.parse(Self.file, file: "notes.yaml").get().entities[0])
        }
    }

    private func asset(_ field: String, _ members: String = #""downloadURL": "https://a/1""#)
        -> String
    {
        #""CD_\#(field)_ckAsset": {"value": {\#(members)}, "type": "ASSETID"}"#
    }

    private func page(_ records: String...) throws -> JSONNode {
        let records = records.enumerated().map { number, fields in
            #"{"recordName": "r\#(number)", "modified": {"timestamp": 1}, "fields": { \#(fields) }}"#
        }
        return try JSONDocument(
            parsing: Array(#"{"zones": [{"records": [\#(records.joined(separator: ","))]}]}"#.utf8)
        ).root
    }

    private func texts(_ page: JSONNode) throws -> AssetTexts {
        try #require(try reader.assetTexts(in: page))
    }

    private func read(_ texts: AssetTexts) throws -> RecordBatch {
        try read(try JSONDocument(parsing: texts.wholePage).root)
    }

    private func read(_ page: JSONNode) throws -> RecordBatch {
        let reader = try reader
        return reader.read(
            Array(page["zones"]?.elements ?? page.elements).flatMap {
                Array($0["records"]?.elements ?? $0.elements)
            })
    }

    /// The texts of a page's first record.
    private func first(_ batch: RecordBatch) -> [FieldValue?] { Array(batch.rows[0][1...2]) }

    @Test(arguments: [
        "", #""CD_text": null, "#, #""CD_text": {"value": null}, "#,
        #""CD_text": {"value": "", "type": "STRING"}, "#,
    ]) func `a text is put where its own field is absent or has none`(own: String) throws {
        var texts = try texts(page(#"\#(own)\#(asset("text")), "CD_title": {"value": "t"}"#))
        #expect(texts.next == Asset(address: "https://a/1", size: nil, checksum: nil))
        texts.take(Array("a \"long\"\n ü 😀".utf8), isIntact: true)
        #expect(texts.next == nil)
        let batch = try read(texts)
        #expect(first(batch) == [.text("a \"long\"\n ü 😀"), .text("t")])
        #expect(batch.unread.isEmpty)
        #expect(batch.unreadFields?.text(at: 0) == "{\(assetMark("text", "a \"long\"\n ü 😀"))}")
    }

    @Test func `texts of several records and fields come one after the other`() throws {
        var texts = try texts(
            page(
                #"\#(asset("title", #""downloadURL": "https://a/2""#)), \#(asset("text"))"#,
                #""CD_text": {"value": "short"}"#,
                #""CD_title": {"value": "t"}, \#(asset("text", #""downloadURL": "https://a/3/${f}""#))"#
            ))
        var asked: [String] = []
        while let asset = texts.next {
            asked.append(asset.address)
            texts.take(Array("from \(asset.address)".utf8), isIntact: true)
        }
        #expect(Set(asked) == ["https://a/1", "https://a/2", "https://a/3/text"])
        #expect(
            try read(texts).rows.map { $0[1...2].map { $0 } } == [
                [.text("from https://a/1"), .text("from https://a/2")],
                [.text("short"), .text("none")],
                [.text("from https://a/3/text"), .text("t")],
            ])
    }

    @Test func `a page without such texts is left as it is`() throws {
        let page = try page(#""CD_text": {"value": "short"}"#, #""CD_text_ckAsset": null"#)
        #expect(try reader.assetTexts(in: page) == nil)
        #expect(try read(page).unread.isEmpty)
    }

    @Test(arguments: [
        (#""size": 3"#, "asset without an address"),
        (#""downloadURL": """#, "asset without an address"),
        (
            #""downloadURL": "https://a/1", "size": 1048577"#,
            "asset of 1048577 bytes; 1048576 are the most"
        ),
    ]) func `an asset that can't be asked for, or is too large, is told without being asked for`(
        value: String, reason: String
    ) throws {
        let texts = try texts(page(asset("text", value)))
        #expect(texts.next == nil)
        try expectUnread(texts, reason)
    }

    @Test(arguments: [
        ([UInt8]("four".utf8), true, "asset of 4 bytes; the record says 3"),
        ([UInt8]("abc".utf8), false, "asset with another checksum"),
        ([0x61, 0xff, 0x62], true, "asset that is no text in UTF-8"),
    ]) func `what comes and is not the text of the record is told, and not stored`(
        bytes: [UInt8], isIntact: Bool, reason: String
    ) throws {
        var texts = try texts(page(asset("text", #""downloadURL": "https://a/1", "size": 3"#)))
        texts.take(bytes, isIntact: isIntact)
        try expectUnread(texts, reason)
    }

    @Test(arguments: [97, 10] as [UInt8])
    func `a text of more bytes than a stored value may have is told`(byte: UInt8) throws {
        var texts = try texts(page(asset("text")))
        // A line break is two bytes in JSON.
        texts.take([UInt8](repeating: byte, count: byte == 10 ? 1 << 20 : 1 << 21), isIntact: true)
        let bytes = byte == 10 ? 2_097_154 : 2_097_152
        try expectUnread(texts, "asset of \(bytes) bytes; 1048576 are the most")
    }

    @Test func `a text that is given up is told with its reason`() throws {
        var texts = try texts(page(asset("text")))
        texts.giveUp("asset answered with 404")
        try expectUnread(texts, "asset answered with 404")
    }

    private func expectUnread(_ texts: AssetTexts, _ reason: String) throws {
        let batch = try read(texts)
        #expect(first(batch)[0] == nil)
        #expect(batch.unread["text"] == UnreadValues(count: 1, example: reason))
        #expect(batch.unreadFields?.text(at: 0) == "{text,text#}")
    }

    @Test func `a page takes 16 MiB and no more, and the rest is told`() throws {
        let size = 1 << 19
        let records = try JSONDocument(
            parsing: Array(
                #"{"zones": [{"records": [\#((0..<40).map { #"{"recordName": "r\#($0)", "modified": {"timestamp": 1}, "fields": {\#(asset("text", #""downloadURL": "https://a/\#($0)", "size": \#(size)"#))}}"# }.joined(separator: ","))]}]}"#
                    .utf8)
        ).root
        var texts = try texts(records)
        var asked = 0
        while texts.next != nil {
            asked += 1
            texts.take([UInt8](repeating: 97, count: size), isIntact: true)
        }
        #expect(asked == 31)
        #expect(texts.wholePage.count <= 16 << 20)
        let unread = try read(texts).unread["text"]
        #expect(unread == UnreadValues(count: 9, example: "asset past the most of a page"))
    }

    @Test
    func `an asset that nobody asked for is a value that can't be read, and shows no address`()
        throws
    {
        let batch = try read(try page(asset("text")))
        #expect(first(batch)[0] == nil)
        #expect(
            batch.unread["text"] == UnreadValues(count: 1, example: "asset that was not asked for"))
        #expect(batch.unreadFields?.text(at: 0) == "{text,text#}")
        // A field that is an asset itself.
        let own = try read(try page(#""CD_text": {"value": {"downloadURL": "https://a/1"}}"#))
        #expect(own.unread["text"] == UnreadValues(count: 1, example: "asset"))
    }
}
