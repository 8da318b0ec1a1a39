/// What pages need beside themselves: it is in the program, and comes from nowhere else.
public enum Asset {
    /// Type and text of an asset by its path; nil when there is none.
    public static func at(_ path: String) -> (type: String, text: String)? {
        switch path {
        case "/assets/style.css": ("text/css; charset=utf-8", styleSheet)
        case "/assets/live.js": ("text/javascript; charset=utf-8", script)
        case "/assets/icon.svg", "/favicon.ico": ("image/svg+xml", icon)
        default: nil
        }
    }
}

private let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1b5e8c"/>\
    <path d="M4 5h8M4 8h5M4 11h7" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>
    """
