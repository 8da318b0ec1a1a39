/// What goes back: an ordinary reply, or one of the ways not to give one.
struct Answer {
    var status = 200
    var headers: [(String, String)] = []
    var body = Body.bytes([])
    var delivery = Delivery.reply
    var delay: Milliseconds = 0
    var shape = Shape()
    var served = Served()

    enum Delivery {
        case reply
        /// Nothing, ever.
        case hang
        /// The connection is closed without a byte.
        case close
        /// The same with a TCP reset.
        case reset
        /// These bytes in place of a reply, then the end.
        case raw([UInt8])
    }

    /// How the body travels.
    struct Shape {
        var pace: (bytes: Int, every: Milliseconds)?
        var cutAfter: Int?
        var hangAfter: Int?
        /// Announced, never sent.
        var missingBytes = 0
        var isChunked = false

        var isPlain: Bool {
            pace == nil && cutAfter == nil && hangAfter == nil && missingBytes == 0 && !isChunked
        }
    }

    /// What the logs say about the records in the body.
    struct Served {
        var records = 0
        var first: String?
        var last: String?
        var next: String?
        var versions: [(id: String, version: Int)] = []
    }

    static func json(_ status: Int = 200, _ body: [UInt8]) -> Answer {
        Answer(
            status: status, headers: [("Content-Type", "application/json")], body: .bytes(body))
    }

    static func error(_ status: Int, _ message: String) -> Answer {
        json(status, JSONText.object { $0.field("error", message) })
    }

    static func message(_ text: String) -> Answer {
        json(200, JSONText.object { $0.field("message", text) })
    }
}

/// The bytes of a body, some of them made only when they are sent.
enum Body {
    case bytes([UInt8])
    /// One byte `count` times, between two texts.
    case run(before: [UInt8], byte: UInt8, count: Int, after: [UInt8])
    /// Pieces until nil, of unknown length.
    case pieces(() -> [UInt8]?)

    var length: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .run(let before, _, let count, let after): before.count + count + after.count
        case .pieces: nil
        }
    }
}
