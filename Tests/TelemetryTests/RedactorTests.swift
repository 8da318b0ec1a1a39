import Foundation
import Testing

@testable import Telemetry

private let secret = "hún ter/2+\"\\\n=😀?"
private let redactor = Redactor(secrets: [Array(secret.utf8), Array("second-secret".utf8)])

private func hex(_ text: String, _ format: String) -> String {
    text.utf8.map { String(format: format, $0) }.joined()
}

private func json(_ text: String) -> String {
    let data = (try? JSONSerialization.data(withJSONObject: [text])) ?? Data()
    return String(String(decoding: data, as: UTF8.self).dropFirst(2).dropLast(2))
}

private let forms: [(String, String)] = [
    ("plain", secret),
    ("percent, all", hex(secret, "%%%02X")),
    ("percent, lower case", hex(secret, "%%%02x")),
    (
        "percent, unreserved kept",
        secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    ),
    ("percent, query", secret.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? ""),
    (
        "form",
        (secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
            .replacingOccurrences(of: "%20", with: "+")
    ),
    ("JSON", json(secret)),
    ("JSON, slash kept", json(secret).replacingOccurrences(of: "\\/", with: "/")),
    ("JSON, ASCII", "h\\u00fan ter\\/2+\\\"\\\\\\n=\\ud83d\\uDE00?"),
    ("JSON, all escaped", secret.utf16.map { String(format: "\\u%04x", $0) }.joined()),
    ("hex", hex(secret, "%02x")),
    ("HEX", hex(secret, "%02X")),
    ("base64", Data(secret.utf8).base64EncodedString()),
    (
        "base64 for URLs",
        Data(secret.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    ),
    (
        "base64, percent",
        Data(secret.utf8).base64EncodedString()
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    ),
    ("base64 in JSON", json(Data(secret.utf8).base64EncodedString())),
]

private let token = "Tok3n-Ab/cd+EF=gh_ij~KL.mn"

private func spelt(_ text: String = token, _ spell: (UInt8) -> String) -> String {
    text.utf8.map(spell).joined()
}

private func entities(_ text: String) -> String {
    text.replacing("/", with: "&sol;").replacing("+", with: "&plus;").replacing(
        "=", with: "&equals;")
}

private func inQuery(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
}

private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

private let echoes: [(String, String)] = [
    ("plain", token), ("upper case", token.uppercased()), ("lower case", token.lowercased()),
    ("HTML, named", entities(token)), ("HTML, named, upper case", entities(token).uppercased()),
    ("HTML, decimal", spelt { "&#\($0);" }),
    ("HTML, decimal, zeros", spelt { "&#00000\($0);" }),
    ("HTML, hex", spelt { String(format: "&#x%02x;", $0) }),
    ("HTML, hex, zeros and no semicolon", spelt { String(format: "&#X000%02X", $0) }),
    ("percent", inQuery(token)), ("percent, lower case", inQuery(token).lowercased()),
    ("percent twice", inQuery(inQuery(token))),
    ("percent twice, all", spelt { String(format: "%%25%02x", $0) }),
    ("percent, old", spelt { String(format: "%%u00%02x", $0) }),
    ("backslash x", spelt { String(format: "\\x%02X", $0) }),
    ("backslash u", spelt { String(format: "\\u00%02x", $0) }),
    ("backslash u, braces", spelt { String(format: "\\u{%x}", $0) }),
    ("octal", spelt { String(format: "\\%03o", $0) }),
    ("JSON", json(token)), ("JSON in JSON", json(json(token))),
    ("JSON in JSON, all", spelt { String(format: "\\\\u00%02x", $0) }),
    ("JSON in HTML", json(token).replacing("\\", with: "&bsol;")),
    ("percent in JSON", json(inQuery(token))),
    ("quoted-printable", spelt { String(format: "=%02X", $0) }),
    (
        "quoted-printable, folded",
        token.prefix(9) + "=\r\n" + token.dropFirst(9).replacing("=", with: "=3D")
    ),
    ("hex", hex(token, "%02x")), ("HEX", hex(token, "%02X")),
    ("base64", base64(token)), ("base64, lower case", base64(token).lowercased()),
    ("base64 twice", base64(base64(token))),
    (
        "base64 of a query",
        base64(
            token.replacing("/", with: "%2F").replacing("+", with: "%2B").replacing(
                "=", with: "%3D"))
    ), ("base64 of JSON", base64(json(token))),
    ("base64, percent twice", inQuery(inQuery(base64(token)))),
].map { ($0, String($1)) }

private let readableEchoes: [(String, String)] = [
    ("reversed", String(token.reversed())),
    ("spaced", token.map(String.init).joined(separator: " ")),
    ("spaced hex", spelt { String(format: "%02x ", $0) }),
    ("without its first letter", String(token.dropFirst())),
    ("zero width", token.map(String.init).joined(separator: "\u{200b}")),
    (
        "full width",
        String(
            String.UnicodeScalarView(
                token.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xfee0) }))
    ),
    ("UTF-16", String(decoding: token.utf16.flatMap { [UInt8($0), 0] }, as: UTF8.self)),
    ("percent three times", inQuery(inQuery(inQuery(token)))),
]

@Suite struct RedactorTests {
    @Test(arguments: forms)
    func `a secret is taken out in every form`(name: String, form: String) {
        let redacted = redactor.redacted("before <\(form)> after")
        #expect(redacted.hasPrefix("before <•••"), "\(name): \(redacted)")
        // Padding tells nothing.
        let bare = redacted.replacingOccurrences(
            of: "(=|%3D)+>", with: ">", options: .regularExpression)
        #expect(bare == "before <•••> after")
    }

    /// What a source may make of a token, and what is done about it.
    ///
    /// A form that stays readable is named by SECURITY.md as one that does.
    @Test(arguments: echoes)
    func `a token that a source repeats in another form is taken out`(name: String, form: String) {
        let redacted = Redactor(secrets: [Array(token.utf8)]).redacted("before <\(form)> after")
        let bare = redacted.replacingOccurrences(
            of: "(=|%(25)*3D)+>", with: ">", options: .regularExpression)
        #expect(bare == "before <•••> after", "\(name)")
    }

    @Test(arguments: readableEchoes)
    func `forms that no server writes stay as they are`(name: String, form: String) {
        #expect(Redactor(secrets: [Array(token.utf8)]).redacted(form) == form, "\(name)")
    }

    @Test func `a page of 16 MB is read once, however many secrets are sought`() {
        let secrets = (0..<100).map {
            Array("token-\($0)-\(String(repeating: "x", count: 40))".utf8)
        }
        let line = #"{"id": 1, "name": "caf\u00e9 & more", "at": "2026-01-01T00:00:00+00:00"},"#
        let page = String(repeating: line + "\n", count: 200)
        let redactor = Redactor(secrets: secrets)
        let alone = Redactor(secrets: [secrets[0]])
        let clock = ContinuousClock()
        let one = clock.measure { _ = alone.redacted(page) }
        let hundred = clock.measure { _ = redactor.redacted(page) }
        // Were each secret sought by itself, it would be a hundred times as long.
        #expect(hundred < one * 10)
        #expect(redactor.redacted(page) == page)
    }

    @Test(arguments: 0..<7, 0..<4)
    func `base64 of a longer text around the secret gives none of it away`(before: Int, after: Int)
    {
        let left = String(repeating: "u", count: before)
        let right = String(repeating: "z", count: after)
        let whole = Data((left + secret + right).utf8).base64EncodedString()
        let redacted = redactor.redacted("Basic \(whole);")
        #expect(redacted.contains("•••"))
        let kept = redacted.dropFirst(6).split(separator: "•••", omittingEmptySubsequences: false)
        // Whole digits that only the text around decides may stay, and padding.
        #expect(kept.first?.count == before * 8 / 6)
        #expect((kept.last?.count ?? 99) <= (after * 8 + 5) / 6 + 3)
    }

    @Test func `every secret is taken out, each time`() {
        #expect(
            redactor.redacted("second-secret\(secret)second-secret, sec") == "•••••••••, sec")
    }

    @Test func `the longer of two secrets that begin alike leaves no end behind`() {
        let redactor = Redactor(secrets: [Array("token".utf8), Array("token-and-more".utf8)])
        #expect(redactor.redacted("a token-and-more b token c") == "a ••• b ••• c")
    }

    @Test func `other texts stay as they are`() {
        for text in ["", "second", "100% + \\u00e9 %zz \\", "c2Vjb25k", "7365636f6e64"] {
            #expect(redactor.redacted(text + " .") == text + " .")
        }
    }

    @Test func `very short secrets are not sought`() {
        #expect(Redactor(secrets: [[], [97], Array("abc".utf8)]).redacted("abcabc") == "abcabc")
    }

    @Test func `a secret that the end cuts off is taken out`() {
        #expect(redactor.sanitised("echo second-sec") == "echo •••")
        #expect(redactor.sanitised("echo h%C3%BAn%20te") == "echo •••")
        #expect(redactor.sanitised("echo h%C3%BAn%2") == "echo •••")
        #expect(redactor.sanitised("echo sec") == "echo sec")
        #expect(redactor.sanitised("echo second-sec… and more…") == "echo •••… and more…")
        #expect(redactor.sanitised("a second… b h%C3%BAn%2… c") == "a •••… b •••… c")
    }

    @Test func `a secret at the limit leaves no part in a sanitised text`() {
        for length in 990...1030 {
            let text = String(repeating: "x", count: length) + "second-secret and more"
            let sanitised = redactor.sanitised(text)
            #expect(sanitised.utf8.count <= 1024)
            #expect(!sanitised.contains("s"), "\(length)")
        }
    }

    @Test func `a sanitised text is one line of valid UTF-8`() {
        #expect(
            redactor.sanitised("a\nb\u{1b}[2J\u{0}\u{202e}\"") == "a\\nb\\u001b[2J\\u0000\\u202e\"")
        #expect(
            redactor.sanitised(bytes: [0x61, 0xff, 0xe2, 0x82, 0x62, 0xc0])
                == "a\u{fffd}\u{fffd}b\u{fffd}")
        let hostile = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 &>> 3) }
        let sanitised = redactor.sanitised(bytes: hostile)
        #expect(sanitised.utf8.count <= 1024)
        #expect(!sanitised.utf8.contains { $0 < 0x20 })
        #expect(sanitised.hasSuffix("…"))
    }

    @Test func `a redactor prints none of its secrets`() {
        var dumped = ""
        dump(redactor, to: &dumped)
        #expect(
            "\(redactor) \(dumped) \(String(reflecting: [redactor]))".contains("second") == false)
        #expect(Mirror(reflecting: redactor).children.isEmpty)
    }
}
