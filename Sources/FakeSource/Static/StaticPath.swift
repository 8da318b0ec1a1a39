/// The one path of users: `/static/user-000001/records`.
enum StaticPath {
    /// The user's place, from 0; nil when the path is another or there is no such user.
    ///
    /// Read byte by byte, since it is read for every request.
    static func user(_ path: UnsafePointer<CChar>, among users: Int) -> Int? {
        var at = path
        guard skip(&at, "/static/user-") else { return nil }
        var number = 0
        var digits = 0
        while at.pointee >= 48, at.pointee <= 57, digits < 12 {
            number = number * 10 + Int(at.pointee - 48)
            digits += 1
            at += 1
        }
        guard digits >= 6, skip(&at, "/records"), at.pointee == 0 else { return nil }
        return (1...users).contains(number) ? number - 1 : nil
    }

    private static func skip(_ at: inout UnsafePointer<CChar>, _ text: StaticString) -> Bool {
        for place in 0..<text.utf8CodeUnitCount {
            guard UInt8(bitPattern: at.pointee) == text.utf8Start[place] else { return false }
            at += 1
        }
        return true
    }
}
