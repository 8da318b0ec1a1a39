import Serving
import Testing

@testable import Commands

/// Who is known by a cookie, and for how long.
@Suite struct ServeSessionTests {
    private let start = ContinuousClock.now

    @Test func `a session ends after an hour of silence, and after half a day whatever was asked`()
    {
        let sessions = ServeSessions()
        let key = sessions.begin("ann", now: start)
        #expect(key.count == 64 && key != sessions.begin("ann", now: start))
        for hours in stride(from: 0.9, to: 12, by: 0.9) {
            #expect(sessions.name(of: key, now: start + .seconds(hours * 3600)) == "ann")
        }
        #expect(sessions.name(of: key, now: start + .seconds(12 * 3600)) == nil)
        let silent = sessions.begin("bob", now: start)
        #expect(sessions.name(of: silent, now: start + .seconds(3601)) == nil)
        #expect(sessions.name(of: silent, now: start) == nil)
    }

    @Test func `a window that asks by itself keeps no session`() {
        let sessions = ServeSessions()
        let key = sessions.begin("ann", now: start)
        for minutes in stride(from: 1, to: 60, by: 1) {
            let now = start + .seconds(minutes * 60)
            #expect(sessions.name(of: key, isByHand: false, now: now) == "ann")
        }
        #expect(sessions.name(of: key, isByHand: false, now: start + .seconds(3600)) == nil)
    }

    @Test func `there are a thousand at most, and the one that was silent for longest goes first`()
    {
        let sessions = ServeSessions()
        let keys = (0..<1000).map { sessions.begin("u\($0)", now: start + .seconds($0)) }
        #expect(sessions.name(of: keys[0], now: start + .seconds(1001)) == "u0")
        _ = sessions.begin("one more", now: start + .seconds(1002))
        #expect(sessions.name(of: keys[0], now: start + .seconds(1003)) == "u0")
        #expect(sessions.name(of: keys[1], now: start + .seconds(1003)) == nil)
        #expect(sessions.name(of: "nobody's", now: start) == nil)
    }

    @Test func `the cookie is found among others, and a post is ours by what the browser says`() {
        func request(_ headers: [(String, String)]) -> ServedRequest {
            ServedRequest(
                path: "/act", posted: [], headers: headers.map { (name: $0.0, value: $0.1) })
        }
        #expect(request([("Cookie", "a=b; jobrunner=key; c=d")]).session == "key")
        #expect(request([("cookie", "a=b"), ("Cookie", "jobrunner=key")]).session == "key")
        #expect(request([("Cookie", "xjobrunner=key")]).session == nil)
        #expect(request([("Sec-Fetch-Site", "same-origin")]).isFromOwnPage)
        #expect(request([("Origin", "http://x:1"), ("Host", "x:1")]).isFromOwnPage)
        for headers in [
            [], [("Host", "x")], [("Origin", "http://x")], [("Origin", "http://x"), ("Host", "")],
            [("Origin", "http://x.y"), ("Host", "x")], [("Origin", "ftp://x"), ("Host", "x")],
            [("Sec-Fetch-Site", "same-site"), ("Origin", "http://x"), ("Host", "x")],
        ] { #expect(!request(headers).isFromOwnPage, "\(headers)") }
    }
}
