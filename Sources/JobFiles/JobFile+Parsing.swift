extension JobFile {
    /// Reads one job file; on failure every mistake in it, by position.
    ///
    /// `file` is only the name that the mistakes carry.
    public static func parse(_ bytes: [UInt8], file: String) -> Result<JobFile, Mistakes> {
        ReadFile(bytes, file: file).result
    }

    /// Reads one job file's text; on failure every mistake in it, by position.
    public static func parse(_ text: String, file: String) -> Result<JobFile, Mistakes> {
        parse(Array(text.utf8), file: file)
    }
}

/// One file as read: its value or its mistakes, and the nodes that later checks point at.
struct ReadFile: Sendable {
    let file: String
    let root: Node?
    let result: Result<JobFile, Mistakes>

    init(_ bytes: [UInt8], file: String) {
        self.file = file
        let reading = NodeReading(file: file)
        root = YAMLReader.node(of: bytes, reading: reading)
        let jobFile = root.flatMap { reading.jobFile($0) }
        if let jobFile, reading.mistakes.isEmpty {
            result = .success(jobFile)
        } else {
            result = .failure(Mistakes(all: reading.mistakes))
        }
    }

    /// A mistake that only shows beside another file.
    func mistake(at node: Node?, _ message: String) -> Mistake {
        Mistake(
            file: file, line: node?.position.line ?? 1, column: node?.position.column ?? 1,
            path: node?.path ?? "", message: message)
    }
}
