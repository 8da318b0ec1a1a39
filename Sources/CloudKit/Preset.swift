public import Asking
public import JobFiles

/// The dialect of a source that has the preset; nil when the source has none.
public func cloudKitDialect(for source: Source) -> (any SourceDialect)? {
    switch source.preset {
    case .cloudkit(let address): CloudKitDialect(address: address, authentication: source.auth)
    case nil: nil
    }
}

/// Each requirement is met by the file that knows of it.
extension CloudKitDialect: SourceDialect {}
