extension JSONValue {
    /// A whole number.
    public static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(String(value))
    }

    /// The last member of that name; nil without one or if this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The text of a string; nil for other values.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// True or false; nil for other values.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The number as written; nil for other values.
    public var numberText: String? {
        guard case .number(let text) = self else { return nil }
        return text
    }

    /// A whole number written without fraction or exponent, if it fits.
    public var int: Int? { numberText.flatMap { Int($0) } }

    /// The elements of an array; nil for other values.
    public var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object; nil for other values.
    public var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}
