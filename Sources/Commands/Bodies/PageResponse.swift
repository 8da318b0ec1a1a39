import Pages
import Serving

/// What each page says to a browser beside itself: nothing of it comes from elsewhere, is shown within another page, or
/// runs that is not a file of ours.
let pageHeaders: [(name: String, value: String)] = [
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self';"
            + " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
]

extension ServedResponse {
    /// A page.
    init(_ status: Int = 200, page: HTML) {
        self.init(status, page.text, type: "text/html; charset=utf-8")
        headers = pageHeaders
    }

    /// Sends the browser to another place of ours.
    init(seeing place: Place) {
        self.init(303, "see \(place.text)\n")
        headers = pageHeaders + [("Location", place.text)]
    }
}

extension ServedRequest {
    /// A form that was sent from a page of ours: the browser says so, and one that does not names the page's origin.
    var isFromOwnPage: Bool {
        if let site = header("Sec-Fetch-Site") { return site == "same-origin" }
        guard let origin = header("Origin"), let host = header("Host"), !host.isEmpty else {
            return false
        }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// The value of our cookie; nil without one.
    var session: String? {
        let fields = headers.filter { $0.name.lowercased() == "cookie" }
        for pair in fields.flatMap({ $0.value.split(separator: ";") }) {
            let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if sides.count == 2, sides[0] == ServeSessions.cookie { return String(sides[1]) }
        }
        return nil
    }
}
