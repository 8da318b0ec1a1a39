/// A value behind one reference, copied where two holders have it and one changes it.
///
/// An asynchronous function keeps a place in memory for each copy of what it handles, for as long as it waits, and
/// thousands of runs wait at once.
@propertyWrapper
public struct Boxed<Value> {
    @usableFromInline
    final class Storage {
        @usableFromInline var value: Value

        @inlinable init(_ value: Value) { self.value = value }
    }

    @usableFromInline var storage: Storage

    /// Puts a value behind a reference of its own.
    @inlinable
    public init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    /// The value.
    @inlinable public var wrappedValue: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}

extension Boxed: Equatable where Value: Equatable {
    /// Whether the values are the same.
    @inlinable
    public static func == (one: Boxed, other: Boxed) -> Bool {
        one.storage === other.storage || one.storage.value == other.storage.value
    }
}

/// `@unchecked` is safe: only who holds the one reference changes the value.
extension Boxed: @unchecked Sendable where Value: Sendable {}
