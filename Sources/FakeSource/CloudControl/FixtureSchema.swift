// The schemas of the apps, with the indexes that their own queries need and no other.
extension FixtureApp {
    /// Declares the record types, and what the server's key may write beside what it has created itself.
    func addSchema(to container: CloudContainer) {
        container.schema.merge(schema) { $1 }
        // The number of saves is raised in recipes that devices have created.
        if self == .snapchef { container.typesKeysMayWrite.insert("Recipe") }
    }

    private var schema: [String: CloudType] {
        switch self {
        case .sportstime: SportsFixture.schema
        case .snapchef: FixtureApp.snapchefSchema
        // What is read as a feed needs no index.
        case .metube: FixtureApp.metubeSchema
        case .luego: FixtureApp.luegoSchema
        case .popcorn: FixtureApp.popcornSchema
        }
    }

    private static let snapchefSchema = [
        "Recipe": CloudType(
            [
                "id": "STRING", "ownerID": "STRING", "title": "STRING", "createdAt": "TIMESTAMP",
                "servings": "INT64", "ingredients": "STRING_LIST", "saveCount": "INT64",
            ],
            queryable: ["ownerID"], sortable: ["createdAt"]),
        "UserProfile": CloudType([
            "savedRecipeIDs": "STRING_LIST", "createdRecipeIDs": "STRING_LIST",
            "favoritedRecipeIDs": "STRING_LIST",
        ]),
    ]

    private static let metubeSchema = [
        "WatchedStatus": CloudType([
            "videoId": "STRING", "status": "STRING", "lastModified": "TIMESTAMP",
            "playbackPosition": "DOUBLE",
        ]),
        "YouTubeToken": CloudType(["device": "STRING", "refreshToken": "STRING"]),
    ]

    private static let luegoSchema = [
        "CD_Article": coreData([
            "CD_entityName": "STRING", "CD_id": "STRING", "CD_url": "STRING", "CD_title": "STRING",
            "CD_content": "STRING", "CD_author": "STRING", "CD_wordCount": "INT64",
            "CD_thumbnailURL": "STRING", "CD_publishedDate": "TIMESTAMP",
            "CD_savedDate": "TIMESTAMP", "CD_isFavorite": "INT64", "CD_isArchived": "INT64",
            "CD_readPosition": "DOUBLE", "CD_deletedAt": "TIMESTAMP",
        ])
    ]

    private static let popcornSchema = [
        "CD_MoviesWatchlistMovieEntity": coreData([
            "CD_entityName": "STRING", "CD_movieID": "INT64", "CD_createdAt": "TIMESTAMP",
        ]),
        "CD_SearchMediaSearchHistoryEntryEntity": coreData([
            "CD_entityName": "STRING", "CD_mediaID": "INT64", "CD_mediaType": "STRING",
            "CD_timestamp": "TIMESTAMP",
        ]),
        "CD_GenreEntity": coreData(["CD_entityName": "STRING", "CD_name": "STRING"]),
        "CDMR": CloudType([
            "CD_entityNames": "STRING", "CD_recordNames": "STRING", "CD_relationships": "STRING",
        ]),
    ]
    /// A type as Core Data declares it: beside each text the asset in which it keeps a long one.
    private static func coreData(_ fields: [String: String]) -> CloudType {
        let texts = fields.filter { $0.value == "STRING" && $0.key != "CD_entityName" }
        return CloudType(
            fields.merging(texts.map { ($0.key + CloudAssets.suffix, "ASSETID") }) { $1 })
    }
}
