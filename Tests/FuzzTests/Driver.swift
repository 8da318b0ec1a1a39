import Glibc

/// The target that `bin/fuzz` has chosen.
private let chosen: FuzzTarget = {
    let name = getenv("JOBRUNNER_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
        exit(64)
    }
    return target
}()

/// Called by libFuzzer with each input; what is broken ends the process, so that the input is kept.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        // libFuzzer ends the process without writing what is buffered.
        let line = Array("broken: \(error)\n".utf8)
        write(STDERR_FILENO, line, line.count)
        abort()
    }
    return 0
}
