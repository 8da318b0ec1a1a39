/// What the program's exit tells scripts; the numbers are those of sysexits.h.
enum ExitCode: Int32, CaseIterable {
    case ok = 0
    case failure = 1
    case urgent = 2
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case temporary = 75
    case configuration = 78

    /// In words for the help.
    var meaning: String {
        switch self {
        case .ok: "done"
        case .failure: "ran, and something failed; health: somebody should look"
        case .urgent: "health: somebody has to act"
        case .usage: "the command line is wrong"
        case .data: "a file's content is wrong, a job file's for example"
        case .noInput: "a file that was named can't be read"
        case .unavailable: "the database, or the source of a test, can't be reached"
        case .software: "a bug"
        case .temporary: "it may work when tried again"
        case .configuration: "the environment, a setting or the key file is wrong"
        }
    }
}
