import Asking
import JSON
import JobFiles
import JobQueue
import Reading
import Testing

@testable import CloudKit

@Suite struct LookupTests {
    @Test func `5.1 a zone that another user shares is named with its owner`() throws {
        let dialect = userDialect()
        let place = try entity(watchedZone, pushType: "T").recordPlace(owner: "_sharer")
        for request in [dialect.pushRequest([], to: place), dialect.lookupRequest([], in: place)] {
            #expect(
                request.body?["zoneID"]?.text
                    == #"{"zoneName":"WatchedStatusZone","ownerRecordName":"_sharer"}"#)
        }
    }

    private let dialect = userDialect()

    @Test func `5.2 records are looked up by name in the entity's zone`() throws {
        let request = dialect.lookupRequest(
            ["a", "b\""], in: try entity(watchedZone).recordPlace())
        #expect(
            request.path
                == "/database/1/iCloud.com.example.app/development/private/records/lookup")
        let expected =
            #"{"zoneID":{"zoneName":"WatchedStatusZone"},"#
            + #""records":[{"recordName":"a"},{"recordName":"b\""}]}"#
        #expect(request.body?.text == expected)
    }

    @Test func `5.2 what a look-up finds is there, what it misses is gone, what failed is unknown`()
        throws
    {
        let answer = try document(
            """
            {"records":[{"recordName":"a","recordChangeTag":"k","fields":{}},
            {"recordName":"b","serverErrorCode":"NOT_FOUND","reason":"Record not found"},
            {"recordName":"c","deleted":true},{"recordName":"d","serverErrorCode":"UNKNOWN_ITEM"},
            {"recordName":"e","serverErrorCode":"THROTTLED","retryAfter":3},
            {"serverErrorCode":"NOT_FOUND"},{"fields":{}},7]}
            """)
        let found = dialect.lookedUp(answer)
        #expect(found.keys.sorted() == ["a", "b", "c", "d"])
        #expect(found["a"]??["recordChangeTag"]?.string == "k")
        for name in ["b", "c", "d"] { #expect(found[name].map { $0 == nil } == true) }
    }

    @Test(arguments: ["{}", "[]", #"{"records":null}"#, #"{"records":[]}"#])
    func `5.2 an answer without records tells nothing of any`(_ text: String) throws {
        #expect(dialect.lookedUp(try document(text)).isEmpty)
    }
}
