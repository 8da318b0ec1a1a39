/// A text in a form of its own.
enum TextForm: String, CaseIterable, Sendable {
    /// Of a table, column, list, field, entity or call.
    case name
    /// Two names with a dot.
    case jobName
    /// A job's name and an entity's.
    case entityName
    /// A name that may hold `-`.
    case sourceID
    case baseURL
    case tokenURL
    case hostPattern
    case container
    case zone
    case timeZone
    /// A record type or field of the source.
    case sourceName
    /// Of a header field that the source sends.
    case headerName
    /// Of a header field that is ours to set.
    case ownHeaderName
    case urlPath
    case errorCode
    case notEmpty
    case path
    /// To one value.
    case onePath
    /// To one value inside the document.
    case innerPath
    /// Into the document, also through an array.
    case presetPath
    /// With a secret.
    case secret
    /// Nothing but a secret.
    case oneSecret
    /// With a column of the row that is sent.
    case rowTemplate
    /// With any placeholder.
    case placeholderTemplate
    /// A template where a number would be read as one.
    case quotedTemplate
    case httpURL
    case timestamp
    case recoveryStep
    /// Of a time: a name or a pattern.
    case timeFormat
    /// The same, or a number's.
    case fieldFormat
    /// How a time is sent, or `raw`.
    case sentFormat

    /// What an editor can check of it.
    var pattern: String {
        let name = "[a-z_][a-z0-9_]{0,62}"
        let member = #"(?![0-9]+(\.|\[|$))[^.\[\]{}\s"'`\\]+"#
        let quoted = #"(\["([^"\\]|\\.)+"\]|\[[^\[\]="]+=[^\[\]"]+\])"#
        let first = "(\(member)|\(quoted))"
        let next = "(\\.\(member)|\(quoted))"
        let time =
            "(?=.*yyyy)(?=.*M)(?=.*d)([^A-Za-z']|'[^']*'|yyyy|M{1,3}|EEE|dd?|HH?|hh?|a|mm|ss|S+|XXX)+"
        let user = #"\{user\.\#(name)\}"#
        let label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
        return switch self {
        case .name: "^\(name)$"
        case .jobName: "^\(name)\\.\(name)$"
        case .entityName: "^\(name)\\.\(name)\\.\(name)$"
        case .sourceID: "^[a-z_][a-z0-9_-]{0,62}$"
        case .baseURL:
            #"^https?://([A-Za-z0-9._\[\]:-]|\#(user))+(/([^?#{}@\s]|\#(user))*([^?#{}@\s/]|\#(user)))?$"#
        case .tokenURL: #"^https?://([^?#{}@\s]|\#(user))+$"#
        case .hostPattern: #"^(\*|(\*\.)?\#(label)(\.\#(label))*)$"#
        case .container: #"^iCloud\.[A-Za-z0-9.-]+$"#
        case .zone: "^[A-Za-z0-9.-][A-Za-z0-9._-]{0,254}$"
        case .timeZone: #"^([A-Za-z+-][A-Za-z0-9_+:/-]{0,63}|\{user\.\#(name)\})$"#
        case .sourceName: "^[A-Za-z_][A-Za-z0-9_]{0,254}$"
        case .headerName: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
        case .ownHeaderName:
            #"^(?!([Hh][Oo][Ss][Tt]|[Cc]ontent-[Ll]ength|[Cc]onnection|[Tt]ransfer-[Ee]ncoding|[Tt][Ee]|[Uu]pgrade)$)[A-Za-z0-9!#$%&'*+.^_`|~-]+$"#
        case .urlPath: #"^/[^?#\s]*$"#
        case .errorCode: "^(?!AUTHENTICATION_(FAILED|REQUIRED)$)[A-Z0-9_]+$"
        case .notEmpty: "."
        case .quotedTemplate: ""
        case .path: #"^$|^(\[\]|\#(first))(\[\])*(\#(next)(\[\])*)*$"#
        case .presetPath: #"^(\[\]|\#(first))(\[\])*(\#(next)(\[\])*)*$"#
        case .onePath: #"^$|^\#(first)\#(next)*$"#
        case .innerPath: #"^\#(first)\#(next)*$"#
        case .secret: #"\{secret\.\#(name)\}"#
        case .oneSecret: #"^\{secret\.\#(name)\}$"#
        case .rowTemplate: #"\{row\.\#(name)\}"#
        case .placeholderTemplate: #"\{.+\}"#
        case .httpURL: "^https?://"
        case .timestamp:
            #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"#
        case .recoveryStep: "^(\(name)|cloudkit\\.create_zone)$"
        case .timeFormat: "^(iso8601|epoch_s|epoch_ms|\(time))$"
        case .sentFormat: "^(iso8601|epoch_s|epoch_ms|raw|\(time))$"
        case .fieldFormat: "^(iso8601|epoch_s|epoch_ms|text|number|\(time))$"
        }
    }

    /// What the manual calls it.
    var words: String {
        switch self {
        case .name: "name"
        case .jobName: "two names with a dot"
        case .entityName: "three names with dots"
        case .sourceID: "name that may hold `-`"
        case .baseURL: "`http(s)://host[:port][/prefix]`"
        case .tokenURL: "URL"
        case .hostPattern: "host, `*.host` or `*`"
        case .container: "text such as `iCloud.com.example.app`"
        case .zone: "name of a custom zone"
        case .timeZone: "name of a time zone, or `{user.x}`"
        case .sourceName: "letters, digits and `_`"
        case .headerName, .ownHeaderName: "name of a header field"
        case .urlPath: "template that starts with `/`"
        case .errorCode: "word such as `ZONE_NOT_FOUND`"
        case .notEmpty: "text"
        case .path: "path"
        case .onePath: "path without `[]`"
        case .innerPath: "path without `[]`, not empty"
        case .presetPath: "path into the body"
        case .secret: "template with a `{secret.name}`"
        case .oneSecret: "exactly one `{secret.name}`"
        case .rowTemplate: "template with a `{row.column}`"
        case .placeholderTemplate, .quotedTemplate: "template"
        case .httpURL: "http or https URL"
        case .timestamp: "time"
        case .timeFormat: "`iso8601`, `epoch_s`, `epoch_ms` or a pattern"
        case .sentFormat: "`iso8601`, `epoch_s`, `epoch_ms`, `raw` or a pattern"
        case .fieldFormat: "`iso8601`, `epoch_s`, `epoch_ms`, `text`, `number` or a pattern"
        case .recoveryStep: "name of a call, `forget_token` or `cloudkit.create_zone`"
        }
    }
}
