import CSQLFiles
import Basics

/// One file of `sql/`.
public struct SQLFile: Sendable, Equatable {
    /// Its place below `sql/`, such as `migrations/0001_schema.sql`.
    public var path: String
    /// Its text.
    public var text: String

    /// Describes a file by its place below `sql/`.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// The files this program was built with, in the order in which they are applied.
    public static let embedded: [SQLFile] = (0..<jr_sql_file_count()).compactMap { index in
        guard let file = jr_sql_file_at(index)?.pointee else { return nil }
        let bytes = UnsafeBufferPointer(start: file.text, count: file.length)
        return SQLFile(
            path: String(cString: file.path), text: String(decoding: bytes, as: UTF8.self))
    }

    /// What stands between the folder and `.sql`.
    var name: String {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let file = path[start...]
        return String(file.hasSuffix(".sql") ? file.dropLast(4) : file)
    }

    func isIn(_ folder: String) -> Bool { path.hasPrefix(folder + "/") }
}

/// SHA-256 in hexadecimal digits.
func checksum(of text: String) -> String { Hex.encode(sha256(Array(text.utf8))) }
