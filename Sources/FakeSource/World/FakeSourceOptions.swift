/// How a fake source is started; the command line's options.
public struct FakeSourceOptions: Sendable {
    /// The IPv4 address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on, 0 for any free one.
    public var port: UInt16 = 0
    /// Fixes all data and every random choice.
    public var seed: UInt64 = 1
    /// Users known from the start, `user-000001` and on; they are not registered.
    public var users = 0
    /// The fewest videos a user has.
    public var videosMin = 80
    /// The most videos a user has.
    public var videosMax = 120
    /// Whether the feed's `nextCursor` is the next `since` rather than an opaque cursor.
    public var pagesBySince = false
    /// Milliseconds before the first byte of each page.
    public var pageDelay = 0
    /// Where the request log is appended as NDJSON.
    public var logFile: String?
    /// Whether every version served is remembered; costs about 40 bytes a record served.
    public var logsVersions = true

    /// The defaults.
    public init() {}

    /// What a command line asks for.
    enum Request {
        case run(FakeSourceOptions)
        case help
        case mistake(String)
    }

    static let help = """
        usage: fake-source --listen 127.0.0.1:0 [--seed N] [--users N] [--videos-min A] \
        [--videos-max B] [--paging cursor|since] [--page-delay MS] [--log FILE] [--no-version-log]
               fake-source static --help
        """

    static func parse(_ arguments: [String]) -> Request {
        var options = FakeSourceOptions()
        var rest = arguments[...]
        while let flag = rest.popFirst() {
            if flag == "--help" || flag == "-h" { return .help }
            if flag == "--no-version-log" {
                options.logsVersions = false
                continue
            }
            guard flags.contains(flag) else {
                return .mistake("unknown option '\(flag)'; see --help")
            }
            guard let value = rest.popFirst() else { return .mistake("\(flag) needs a value") }
            if let expected = options.set(flag, value) {
                return .mistake("\(flag) \(value): expected \(expected)")
            }
        }
        if !arguments.contains("--videos-max") {
            options.videosMax = max(options.videosMax, options.videosMin)
        }
        if !arguments.contains("--videos-min") {
            options.videosMin = min(options.videosMin, options.videosMax)
        }
        guard options.videosMin <= options.videosMax else {
            return .mistake("--videos-min \(options.videosMin) is above --videos-max")
        }
        return .run(options)
    }

    private static let flags = [
        "--listen", "--seed", "--users", "--videos-min", "--videos-max", "--paging",
        "--page-delay", "--log",
    ]

    /// What was expected, when the value is wrong.
    private mutating func set(_ flag: String, _ value: String) -> String? {
        switch flag {
        case "--listen":
            guard let address = ListenAddress(value) else { return ListenAddress.expected }
            host = address.host
            port = address.port
        case "--log": logFile = value
        case "--paging":
            guard let paging = Settings.Paging(rawValue: value) else { return "cursor or since" }
            pagesBySince = paging == .since
        case "--seed":
            guard let number = UInt64(value) else { return "a whole number" }
            seed = number
        default:
            guard let number = Int(value), (0...100_000_000).contains(number) else {
                return "a whole number from 0 to 100000000"
            }
            switch flag {
            case "--users": users = number
            case "--videos-min": videosMin = number
            case "--videos-max": videosMax = number
            default: pageDelay = number
            }
        }
        return nil
    }
}
