import Testing

@testable import CloudKit

@Suite struct SigningTests {}
