import Glibc

/// How a stream looks to whoever reads it.
struct TerminalView: Sendable, Equatable {
    /// Columns of a line; nil means that no person looks, and nothing is cut.
    let width: Int?
    /// Whether severity words have colours.
    let isColoured: Bool

    /// A pipe, a file, a log.
    static let none = TerminalView(width: nil, isColoured: false)

    init(width: Int?, isColoured: Bool) {
        self.width = width
        self.isColoured = isColoured
    }

    /// Of what the descriptor is now: a window changes its width while a program runs.
    ///
    /// `COLUMNS` comes before the window's own width, since a person has set it. There is no colour with `NO_COLOR`,
    /// nor where `TERM` is dumb or unknown.
    init(descriptor: Int32, environment: (String) -> String?) {
        guard isatty(descriptor) == 1 else {
            self = .none
            return
        }
        let asked = environment("COLUMNS").flatMap { Int($0) } ?? 0
        let kind = environment("TERM") ?? ""
        width = asked > 0 ? asked : windowWidth(descriptor)
        isColoured = (environment("NO_COLOR") ?? "").isEmpty && !["", "dumb"].contains(kind)
    }

    /// The line with its severity in colour, where it begins with one: `error: …`.
    func marked(_ line: String) -> String {
        guard isColoured, let colon = line.firstIndex(of: ":"),
            let colour = severityColours[String(line[..<colon])]
        else { return line }
        return "\u{1b}[\(colour)m\(line[..<colon])\u{1b}[0m\(line[colon...])"
    }
}

/// Red, yellow and green, in the terminal's own shades.
private let severityColours = [
    "error": 31, "urgent": 31, "warning": 33, "degraded": 33, "ok": 32,
    "healthy": 32,
]

/// Columns of the window behind a descriptor; 80 where it has no size.
func windowWidth(_ descriptor: Int32) -> Int {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1
    return isKnown ? Int(size.ws_col) : 80
}

/// How many columns a text takes: letters of East Asia and most pictures take two, accents of their own none.
func displayWidth(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first, !first.isASCII else { return 1 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    let isPicture =
        first.properties.isEmojiPresentation
        || character.unicodeScalars.contains { $0.value == 0xfe0f }
    return isPicture || wideLetters.contains { $0.contains(first.value) } ? 2 : 1
}

/// What Unicode calls wide or full-width, in whole blocks.
private let wideLetters: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x4dbf, 0x4e00...0xa4cf, 0xac00...0xd7a3,
    0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd,
]
