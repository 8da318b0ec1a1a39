import Foundation
import Testing

@testable import FakeSource

@Suite(.serialized) struct LoadTests {
    @Test func `three hundred slow drips delay nobody and all arrive`() throws {
        try withSource { client in
            try client.command("users", #"{"prefix":"u","count":300,"videos":3,"registered":true}"#)
            try client.command(
                "faults", #"{"kind":"drip","bytes":40,"every_ms":50,"times":0,"path":"/api"}"#)
            let files = try (1...300).map { number in
                let file = try client.connect()
                let user = "u" + padded(Int64(number), 6)
                client.write(file, client.request("GET", "/api/users/\(user)/feed"))
                return file
            }
            let begin = monotonicClock()
            #expect(try client.get("/health").status == 200)
            #expect(monotonicClock() - begin < 1000)
            for file in files {
                var text: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while case let count = recv(file, &buffer, buffer.count, 0), count > 0 {
                    text += buffer[..<count]
                }
                close(file)
                #expect(text.last == UInt8(ascii: "}"))
            }
            // Three videos are more than 300 bytes, so more than seven waits.
            #expect(monotonicClock() - begin >= 350)
        }
    }

    @Test func `two thousand hanging connections leave room for others`() throws {
        try withSource { client in
            try client.command("faults", #"{"kind":"hang","times":0,"path":"/api"}"#)
            let files = try (0..<2000).map { _ in
                let file = try client.connect()
                client.write(file, client.request("GET", "/api/users/ann/feed"))
                return file
            }
            try eventually("all hang") {
                try client.get("/_control/summary").json()["open"] as? Int == 2000
            }
            #expect(try client.get("/health").status == 200)
            files.forEach { close($0) }
            try eventually("all are noticed to have left") {
                try client.get("/_control/summary").json()["open"] as? Int == 0
            }
        }
    }

    @Test func `stopping ends hanging, delayed and dripping replies`() throws {
        var file: [Int32] = []
        try withSource { client in
            try client.register("ann")
            for kind in [#""hang""#, #""slow","delay_ms":60000"#, #""drip","every_ms":60000"#] {
                try client.command("faults", "{\"kind\":\(kind),\"path\":\"/api\"}")
                let one = try client.connect()
                client.write(one, client.request("GET", "/api/users/ann/feed"))
                file.append(one)
            }
            try eventually("all wait") {
                try client.get("/_control/summary").json()["open"] as? Int == 3
            }
        }
        for one in file {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while recv(one, &buffer, buffer.count, 0) > 0 {}
            close(one)
        }
    }

    @Test func `a hundred thousand users cost nothing until they are touched`() throws {
        try withSource {
            $0.users = 100_000
        } _: { client in
            try client.register("user-099999")
            #expect(try client.get("/health").text.contains(#""users":1,"#))
            #expect(try client.get("/api/users/user-100000/feed").status == 404)
            #expect(try client.get("/generic/user-100000/single").status == 200)
            #expect(try client.get("/generic/user-100001/single").status == 404)
        }
    }
}
