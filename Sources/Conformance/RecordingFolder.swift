import Glibc

/// Names of a folder's recordings, in their order.
func recordings(in folder: String) throws -> [String] {
    guard let directory = opendir(folder) else { throw recordingError(folder, errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasSuffix(".json") { names.append(name) }
    }
    return names.sorted()
}

/// Says why the system refused a file or folder.
func recordingError(_ path: String, _ number: Int32) -> GuaranteeSuiteError {
    GuaranteeSuiteError(
        cause: .recordings, message: "\(path): \(String(cString: strerror(number)))")
}
