/// How a static source is started: `fake-source static` and its options.
public struct StaticOptions: Sendable {
    /// The IPv4 address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on, 0 for any free one.
    public var port: UInt16 = 0
    /// Users `user-000001` and on.
    public var users = 100
    /// Records of all users together; each has its share, rounded down.
    public var records = 100_000
    /// Records on a page when the request does not say.
    public var pageSize = 200
    /// Bytes of a record's JSON; a little more where its other fields take more.
    public var recordBytes = 500
    /// Milliseconds before the first byte of each page.
    public var delay = 0

    /// The defaults.
    public init() {}

    /// What a command line asks for.
    enum Request {
        case run(StaticOptions)
        case help
        case mistake(String)
    }

    static let help = """
        usage: fake-source static --listen 127.0.0.1:0 [--users N] [--records N] [--page-size N] \
        [--record-bytes N] [--delay-ms N]
        """

    static func parse(_ arguments: [String]) -> Request {
        var options = StaticOptions()
        var rest = arguments[...]
        while let flag = rest.popFirst() {
            if flag == "--help" || flag == "-h" { return .help }
            guard flags.contains(flag) else {
                return .mistake("unknown option '\(flag)'; see static --help")
            }
            guard let value = rest.popFirst() else { return .mistake("\(flag) needs a value") }
            if let expected = options.set(flag, value) {
                return .mistake("\(flag) \(value): expected \(expected)")
            }
        }
        return .run(options)
    }

    private static let flags = [
        "--listen", "--users", "--records", "--page-size", "--record-bytes", "--delay-ms",
    ]

    /// What was expected, when the value is wrong.
    private mutating func set(_ flag: String, _ value: String) -> String? {
        if flag == "--listen" {
            guard let address = ListenAddress(value) else { return ListenAddress.expected }
            host = address.host
            port = address.port
            return nil
        }
        let range =
            switch flag {
            case "--page-size": 1...StaticOptions.pageSizeMax
            case "--record-bytes": 300...100_000
            case "--delay-ms": 0...600_000
            default: 1...100_000_000
            }
        guard let number = Int(value), range.contains(number) else {
            return "a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
        switch flag {
        case "--users": users = number
        case "--records": records = number
        case "--page-size": pageSize = number
        case "--record-bytes": recordBytes = number
        default: delay = number
        }
        return nil
    }

    /// The most records a request may ask for at once.
    static let pageSizeMax = 10_000
}
