import Glibc

extension JobFile {
    /// Reads every `.yaml` below a directory, such as `jobs/<app>/<name>.yaml`, as one set.
    ///
    /// The files come in the order of their paths; on failure every mistake of every file, also
    /// what one file says against another. Hidden names are left out.
    public static func load(directory: String) -> Result<[JobFile], Mistakes> {
        JobFileSet.load(directory: directory).map(\.jobs)
    }

    /// Reads every `.yaml` below a directory, each for itself: what is right, and what is wrong with
    /// the others.
    ///
    /// A file that contradicts another one is wrong, not the other.
    public static func loadEach(directory: String) -> (jobs: [JobFile], mistakes: [Mistake]) {
        let (read, mistakes) = JobFileSet.read(directory: directory)
        let wrong = Set(mistakes.map(\.file))
        let jobs = read.filter { !wrong.contains($0.file) }.compactMap { try? $0.result.get() }
        return (jobs, mistakes)
    }

    /// Reads the files as one set; on failure every mistake of every file.
    public static func load(files: [String]) -> Result<[JobFile], Mistakes> {
        JobFileSet.load(files: files).map(\.jobs)
    }
}

extension JobFileSet {
    /// Like `JobFile.load(directory:)`, with the places of what the files say.
    public static func load(directory: String) -> Result<JobFileSet, Mistakes> {
        whole(read(directory: directory))
    }

    fileprivate static func read(directory: String) -> (read: [ReadFile], mistakes: [Mistake]) {
        var search = FileSearch(root: realPath(directory))
        search.visit(directory, depth: 0)
        if search.mistakes.isEmpty, search.files.isEmpty {
            search.report(directory, "no job file here, expected <app>/<name>.yaml")
        }
        return read(files: search.files.sorted(), after: search.mistakes)
    }

    /// Like `JobFile.load(files:)`, with the places of what the files say.
    public static func load(files: [String]) -> Result<JobFileSet, Mistakes> {
        whole(read(files: files, after: []))
    }

    private static func whole(
        _ found: (read: [ReadFile], mistakes: [Mistake])
    ) -> Result<JobFileSet, Mistakes> {
        guard found.mistakes.isEmpty else { return .failure(Mistakes(all: found.mistakes)) }
        return .success(JobFileSet(found.read))
    }

    private static func read(
        files: [String], after earlier: [Mistake]
    ) -> (read: [ReadFile], mistakes: [Mistake]) {
        var mistakes = earlier
        var read: [ReadFile] = []
        for file in files {
            switch bytes(ofFile: file) {
            case .success(let bytes): read.append(ReadFile(bytes, file: file))
            case .failure(let mistake): mistakes.append(mistake)
            }
        }
        for file in read {
            if case .failure(let own) = file.result { mistakes += own.all }
        }
        mistakes += conflicts(between: read)
        return (read, mistakes)
    }

    private static func bytes(ofFile path: String) -> Result<[UInt8], Mistake> {
        guard let handle = fopen(path, "re") else { return .failure(unreadable(path)) }
        defer { fclose(handle) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        // One byte beyond the limit is enough to be refused for size.
        while bytes.count <= YAMLReader.bytesMax {
            let count = fread(&chunk, 1, chunk.count, handle)
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return ferror(handle) == 0 ? .success(bytes) : .failure(unreadable(path))
    }
}

/// Says why the system refused a file or directory; call it before `errno` changes.
private func unreadable(_ path: String) -> Mistake {
    let reason = String(cString: strerror(errno))
    return Mistake(file: path, line: 1, column: 1, path: "", message: "can't be read: \(reason)")
}

/// The path without links; nil when there is nothing.
private func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
}

/// The job files below a directory.
private struct FileSearch {
    /// Bounds a loop of symbolic links.
    private static let depthMax = 8

    /// Links within it are followed, as a mounted folder of a cluster is made of them.
    let root: String?
    var files: [String] = []
    var mistakes: [Mistake] = []

    init(root: String?) { self.root = root }

    mutating func visit(_ path: String, depth: Int) {
        guard let directory = opendir(path) else {
            mistakes.append(unreadable(path))
            return
        }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { visit(name, in: path, depth: depth) }
        }
    }

    private mutating func visit(_ name: String, in directory: String, depth: Int) {
        let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
        var status = stat()
        guard stat(path, &status) == 0 else {
            mistakes.append(unreadable(path))
            return
        }
        let isNamedForUs = name.utf8.suffix(5).elementsEqual(".yaml".utf8)
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFDIR || isNamedForUs || name.hasSuffix(".yml") else { return }
        // What a mistake quotes of another file would be told to whoever reads the mistake.
        guard isInside(path) else {
            return report(path, "a link that leads out of the folder; put the file itself here")
        }
        if kind == S_IFDIR {
            if depth < Self.depthMax { visit(path, depth: depth + 1) }
        } else if kind != S_IFREG {
            report(path, "no regular file; reading it might never end")
        } else if isNamedForUs {
            files.append(path)
        } else {
            report(path, "a job file's name ends in .yaml")
        }
    }

    private func isInside(_ path: String) -> Bool {
        guard let root, let real = realPath(path) else { return false }
        return real.utf8.starts(with: (root == "/" ? root : root + "/").utf8)
    }

    mutating func report(_ path: String, _ message: String) {
        mistakes.append(Mistake(file: path, line: 1, column: 1, path: "", message: message))
    }
}
