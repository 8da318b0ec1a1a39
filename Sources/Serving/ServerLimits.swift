/// What clients may cost a server.
struct ServerLimits: Sendable {
    /// Connections at the same time.
    var connections = 64
    /// The head of a question has to be here so long after its connection began.
    var head = Duration.seconds(3)
    /// A client that is silent for longer is dropped, in seconds.
    var silence: UInt32 = 10
    /// A connection, which serves one question, is ended so long after its head has come.
    var connection = Duration.seconds(30)
    /// Request line and header fields of one request, in bytes, with what reading them takes.
    var headBytes = 16 << 10
    /// A posted form.
    var formBytes = 16 << 10

    /// As many connections are accepted before any is kept waiting; those beyond `connections` are ended at once.
    var accepted: UInt32 { UInt32(connections) * 4 }
    /// Of them from one address.
    var ofOneAddress: UInt32 { UInt32(connections) / 4 + 1 }
}
