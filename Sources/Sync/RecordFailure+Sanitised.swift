import Reading
import Telemetry

extension RecordFailure {
    /// The same without any secret that the source repeats.
    func sanitised(_ redactor: Redactor) -> RecordFailure {
        RecordFailure(
            code: redactor.sanitised(code), reason: redactor.sanitised(reason),
            record: redactor.sanitised(record), wait: wait)
    }
}
