import HTTP
import Testing

@Suite struct EncodingTests {
    /// What a GET makes of a body that claims an encoding.
    private func result(_ body: [UInt8], encoding: String) async throws -> Result<
        HTTPResponse, HTTPError
    > {
        var result: Result<HTTPResponse, HTTPError>?
        try await withServer(
            keepAlive { connection, _ in
                connection.answer(headers: ["Content-Encoding: \(encoding)"], body: body)
            }
        ) { server in
            let client = HTTPClient()
            do throws(HTTPError) {
                let request = HTTPRequest(url: server.url())
                result = .success(try await client.send(request, deadline: .now + .seconds(20)))
            } catch {
                result = .failure(error)
            }
        }
        return try #require(result)
    }

    private let command = "seq 1 20000"

    @Test func `gzip, streams in a row and deflate without wrapping are decoded`() async throws {
        let plain = try await output(of: command)
        let gzip = try await output(of: command + " | gzip -c")
        for (body, encoding, expected) in [
            (gzip, "gzip", plain), (gzip, "X-GZIP", plain), (gzip + gzip, "gzip", plain + plain),
            (Array(gzip[10..<(gzip.count - 8)]), "deflate", plain), (gzip, "identity", gzip),
            ([], "gzip", []),
        ] {
            let response = try await result(body, encoding: encoding).get()
            #expect(response.body == expected)
            #expect(response.wireBytes == body.count)
        }
    }

    @Test func `deflate with its wrapping is decoded`() async throws {
        // A zlib stream with one stored block and its checksum.
        let wrapped: [UInt8] =
            [0x78, 0x01, 0x01, 3, 0, 0xfc, 0xff] + Array("abc".utf8) + [0x02, 0x4d, 0x01, 0x27]
        #expect(try await result(wrapped, encoding: "deflate").get().body == Array("abc".utf8))
        let error = try await result(Array(wrapped.dropLast()) + [0], encoding: "deflate")
        #expect(error == .failure(.badEncoding))
    }

    @Test func `a compressed stream that ends early is truncated, wherever it is cut`() async throws
    {
        let gzip = try await output(of: command + " | gzip -c")
        for count in [1, 5, 10, 11, gzip.count / 2, gzip.count - 8, gzip.count - 1] {
            let cut = try await result(Array(gzip[..<count]), encoding: "gzip")
            #expect(cut == .failure(.truncated), "cut at \(count)")
        }
    }

    @Test func `broken, wrongly named and unknown compression is an error`() async throws {
        let gzip = try await output(of: command + " | gzip -c")
        var flipped = gzip
        flipped[gzip.count / 2] ^= 0xff
        for (body, encoding) in [
            (flipped, "gzip"), (Array(gzip.dropLast(8)) + [0, 0, 0, 0, 0, 0, 0, 0], "gzip"),
            (gzip + [1, 2, 3], "gzip"), (Array("not gzip".utf8), "gzip"), (gzip, "deflate"),
            (gzip, "br"), (gzip, "gzip, gzip"),
        ] {
            #expect(try await result(body, encoding: encoding) == .failure(.badEncoding))
        }
    }
}
