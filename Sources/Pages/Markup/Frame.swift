import JSON

/// What stands around every screen.
public struct Frame: Sendable {
    /// Who has signed in; nil when nobody has.
    public var person: String?
    /// Whether there is a session that can be ended.
    public var canSignOut = false

    /// A frame for somebody.
    public init(person: String? = nil, canSignOut: Bool = false) {
        self.person = person
        self.canSignOut = canSignOut
    }

    private static let menu: [Screen] = [
        .overview, .tenants, .runs, .sources, .workers, .files, .audit,
    ]

    /// A screen in its frame, as a whole page.
    public func page(_ screen: Screen, _ seen: Seen) -> HTML {
        let main = Self.main(screen, seen)
        // The script asks there for what has changed since.
        let live: HTML? =
            screen.isLive ? " data-live=\"\(Place("/live", ["of": seen.place.text]))\"" : nil
        return page(
            title: screen.title, chosen: screen,
            "<main id=\"main\" tabindex=\"-1\"\(live)>\(main)</main>")
    }

    /// What of a page is sent anew when it has changed.
    public static func main(_ screen: Screen, _ seen: Seen) -> HTML {
        """
        <h1>\(screen.title)</h1>
        <p class="age">As of \(time(.string(seen.at)))</p>
        \(screen.html(seen))
        """
    }

    /// A page that is no screen.
    public func page(title: String, says content: HTML) -> HTML {
        page(
            title: title, chosen: nil,
            "<main id=\"main\" tabindex=\"-1\"><h1>\(title)</h1>\(content)</main>")
    }

    private func page(title: String, chosen: Screen?, _ main: HTML) -> HTML {
        let items = Self.menu.map { screen -> HTML in
            let current: HTML? = screen == chosen ? " aria-current=\"page\"" : nil
            let place = Place(screen, query: [])
            return "<li><a href=\"\(place)\"\(current)>\(screen.title)</a></li>"
        }
        let out: HTML? =
            canSignOut
            ? "<form method=\"post\" action=\"/sign-out\"><button>Sign out</button></form>" : nil
        let who: HTML? = person.map { "<p class=\"who\">\($0)</p>" }
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title) · jobrunner</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/assets/style.css">
            <script src="/assets/live.js" defer></script></head>
            <body><a class="skip" href="#main">To the content</a>
            <header><nav aria-label="Screens"><ul>\(items)</ul></nav>\(who)\(out)</header>
            \(main)
            <footer><p>jobrunner. Times are in your zone where the script runs, else in UTC.</p></footer></body></html>

            """
    }
}
