import CSodium
import Glibc

/// The file that holds the workers' keys: each 32 bytes as 64 hex digits or in base64, one a line, the newest last.
public enum KeyFile {
    /// Longest content that is read; a key needs 66 bytes at most, and nobody rotates so often.
    private static let contentBytesMax = 4096

    /// Reads the keys, if the file is fit to hold one (`SecretFile`).
    ///
    /// Links are followed, as secrets are mounted by link; what they lead to is what is checked. `credentials` is systemd's
    /// folder of them. Throws a `keyFile…` error that says what is wrong and what would be right.
    public static func load(
        _ path: String, credentials: String? = nil
    ) throws(SecretError) -> KeyRing {
        // O_NONBLOCK, for a named pipe would wait for a writer.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        try check(descriptor, path, credentials)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: contentBytesMax, alignment: 1)
        defer {
            sodium_memzero(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }
        let count = try fill(buffer, from: descriptor, path)
        return try decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), path)
    }

    private static func check(
        _ descriptor: Int32, _ path: String, _ credentials: String?
    ) throws(SecretError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .keyFileNotRegular(path: path) }
        do {
            try SecretFile.check(descriptor, at: path, credentials: credentials)
        } catch {
            throw .keyFileUnfit(path: path, error)
        }
    }

    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, _ path: String
    ) throws(SecretError) -> Int {
        var count = 0
        while count < buffer.count {
            let added = read(
                descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            if added < 0 && errno == EINTR { continue }
            guard added >= 0 else { throw failure(path) }
            if added == 0 { break }
            count += added
        }
        return count
    }

    private static func decode(
        _ content: UnsafeRawBufferPointer, _ path: String
    ) throws(SecretError) -> KeyRing {
        var text = content[...]
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        guard !text.isEmpty else { throw .keyFileContent(path: path, reason: "is empty") }
        var keys: [MasterKey] = []
        for var line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        {
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            let reason =
                text.contains(UInt8(ascii: "\n"))
                ? "holds no key in line \(keys.count + 1)" : "holds no key"
            keys.append(try decode(line: UnsafeRawBufferPointer(rebasing: line), path, reason))
        }
        return KeyRing(keys.removeLast(), older: keys)
    }

    private static func decode(
        line: UnsafeRawBufferPointer, _ path: String, _ reason: String
    ) throws(SecretError) -> MasterKey {
        try MasterKey(
            SecretValue(count: MasterKey.bytesCount) { key throws(SecretError) in
                guard decodeHex(line, into: key) || decodeBase64(line, into: key) else {
                    throw .keyFileContent(path: path, reason: reason)
                }
            })
    }

    private static func decodeHex(
        _ digits: UnsafeRawBufferPointer, into key: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        var count = 0
        let result = sodium_hex2bin(
            key, MasterKey.bytesCount,
            digits.baseAddress?.assumingMemoryBound(to: CChar.self), digits.count, nil, &count, nil)
        return result == 0 && count == MasterKey.bytesCount
            && digits.count == 2 * MasterKey.bytesCount
    }

    /// Either alphabet, with padding or without.
    private static func decodeBase64(
        _ digits: UnsafeRawBufferPointer, into key: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let variants = [
            sodium_base64_VARIANT_ORIGINAL, sodium_base64_VARIANT_ORIGINAL_NO_PADDING,
            sodium_base64_VARIANT_URLSAFE, sodium_base64_VARIANT_URLSAFE_NO_PADDING,
        ]
        return variants.contains { variant in
            var count = 0
            let result = sodium_base642bin(
                key, MasterKey.bytesCount,
                digits.baseAddress?.assumingMemoryBound(to: CChar.self), digits.count, nil, &count,
                nil, variant)
            return result == 0 && count == MasterKey.bytesCount
        }
    }

    private static func failure(_ path: String) -> SecretError {
        .keyFileUnusable(path: path, reason: String(cString: strerror(errno)).lowercased())
    }
}
