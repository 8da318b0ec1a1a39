/// One request on its way: what libmicrohttpd hands back to us at each step of it.
final class Exchange {
    let connection: OpaquePointer
    let method: String
    let path: String
    var body: [UInt8] = []
    var isTooLarge = false
    /// Set once the whole request is here.
    var answer: Answer?
    /// Its number in the log; negative for control commands, which are not logged.
    var number = 0
    var bytes = 0

    /// A set of 100,000 channels fits.
    static let bodyMax = 8 << 20

    init(connection: OpaquePointer, method: String, path: String) {
        self.connection = connection
        self.method = method
        self.path = path
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        if body.count + bytes.count > Exchange.bodyMax {
            isTooLarge = true
            body = []
        } else if !isTooLarge {
            body.append(contentsOf: bytes)
        }
    }
}
