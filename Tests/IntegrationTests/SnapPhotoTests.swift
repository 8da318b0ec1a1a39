import JSON
import Testing

/// An asset that is no text is mapped as its address and its checksum.
@Suite struct SnapPhotoTests {
    private static let fields = [
        (
            "        servings: {",
            """
                    photo_url: { at: photo.downloadURL, type: url }
                    photo_checksum: { at: photo.fileChecksum, type: text }
                    photo_size: { at: photo.size, type: int }
                    servings: {
            """
        )
    ]
    private static let photo = """
        {"recordName": "recipe_user-000001_1", "fields": {"photo": {"type": "ASSETID", "value": {
          "fileChecksum": "AQ==", "size": 7, "downloadURL": "https://cvws.icloud-content.com/B/x/${f}?s=secret"}}}}
        """

    @Test func `a photo's address and checksum are columns, and a push leaves the photo alone`()
        async throws
    {
        try await withRecipes(3, changes: Self.fields) { world in
            try await world.share([Self.photo])
            try await world.drain()
            let row = try await world.row(
                "select photo_url, photo_checksum, photo_size from synced.recipe where photo_url is not null"
            )
            #expect(row.text("photo_url") == "https://cvws.icloud-content.com/B/x/${f}?s=secret")
            #expect(row.text("photo_checksum") == "AQ==")
            #expect(row.int("photo_size") == 7)
            try await world.edit(
                "recipe", #"{"recipe_id": "recipe_user-000001_1", "title": "mine"}"#)
            try await world.runAgain()
            let record = try await world.cloudRecords(.snapchef)["recipe_user-000001_1"]?["fields"]
            #expect(record?["title"]?.text("value") == "mine")
            #expect(record?["photo"]?["value"]?.int("size") == 7)
        }
    }

    @Test
    func `a text that is an asset is told as a value that can't be read, without its address`()
        async throws
    {
        let changes = [
            ("        servings: {", "        photo: { at: photo, type: text }\n        servings: {")
        ]
        try await withRecipes(3, changes: changes) { world in
            try await world.share([Self.photo])
            try await world.drain()
            #expect(try await world.job(firstUser).text("last_outcome") == "complete")
            let unread = try await world.checkpoint(firstUser)["unread"]?["photo"]
            #expect(unread?.int("count") == 1)
            #expect(unread?.text("example") == "asset")
            #expect(world.lines.all.contains { $0.contains("values unread") })
            #expect(!world.lines.all.contains { $0.contains("icloud-content") })
        }
    }
}
