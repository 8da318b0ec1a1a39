/// An SQL value of the form that a sealed secret has; it ends with the byte of these two hex digits.
func sealed(_ mark: String = "01") -> String { "decode(repeat('01', 63) || '\(mark)', 'hex')" }
