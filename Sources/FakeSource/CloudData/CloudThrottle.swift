/// How a throttled request is answered; what is nil is the container's setting.
struct CloudThrottle {
    var status: Int?
    var retryAfter: Double
    var wait: CloudSettings.ThrottleWait?

    /// The reply of Apple's technical note, with the wait in the body, in the header or in both.
    func answer(_ settings: CloudSettings, number: Int) -> Answer {
        let wait = wait ?? settings.throttleWait
        var answer = Answer.json(
            status ?? settings.throttleStatus,
            JSONText.object { json in
                json.field("uuid", "wsThrottles_\(number)")
                json.field("serverErrorCode", "THROTTLED")
                json.field("error_code", "THROTTLED")
                json.field("reason", "Database throttled, retry later")
                if wait == .body || wait == .both {
                    json.key("retryAfter")
                    JSONValue.number(retryAfter).write(into: &json)
                }
                json.field("messageForDeveloper", "Too many requests; wait before the next one")
            })
        if wait == .header || wait == .both {
            answer.headers.append(("Retry-After", String(Int(retryAfter.rounded(.up)))))
        }
        return answer
    }
}
