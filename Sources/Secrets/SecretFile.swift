import Basics
import Glibc

/// Whether a file may hold a secret: the one rule for the key, the database's address, tokens and secrets.
///
/// Only its owner and root can change it, and only its owner reads it. What root has mounted for this process may be read
/// by one of the process's groups too: so a file comes to a process that is not root's. What lies in systemd's folder of
/// credentials has an access list, which shows as a group's right to read.
public enum SecretFile {
    /// Why an open file may not be used.
    public enum Fault: Error, Equatable, Sendable {
        /// It belongs to somebody who could change it under us.
        case owner(UInt32, user: UInt32)
        /// Others have a permission on the file.
        case mode(UInt32, isMounted: Bool)
        /// The system tells nothing of it; `reason` is the system's.
        case unknown(reason: String)
    }

    /// Throws what is wrong with an open file; `credentials` is systemd's folder, nil without one.
    public static func check(
        _ descriptor: Int32, at path: String, credentials: String?
    ) throws(Fault) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .unknown(reason: String(cString: strerror(errno)).lowercased())
        }
        // Whoever reads a folder is told that it is one.
        guard status.st_mode & S_IFMT != S_IFDIR else { return }
        let isRoots = status.st_uid == 0
        guard isRoots || status.st_uid == geteuid() else {
            throw .owner(status.st_uid, user: geteuid())
        }
        let mode = status.st_mode & 0o7777
        guard mode & 0o077 != 0 else { return }
        let isOurs =
            isRoots && isOwnGroup(status.st_gid) || lies(path, in: credentials)
        guard mode & 0o037 == 0, isOurs else {
            throw .mode(mode, isMounted: isRoots && geteuid() != 0)
        }
    }

    private static func isOwnGroup(_ group: gid_t) -> Bool {
        if group == getegid() { return true }
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return groups.prefix(max(0, Int(count))).contains(group)
    }

    /// Links are followed: what they lead to must lie there.
    private static func lies(_ path: String, in folder: String?) -> Bool {
        guard let folder, let file = resolved(path), let folder = resolved(folder) else {
            return false
        }
        return file.hasPrefix(folder + "/")
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}

extension SecretFile.Fault {
    /// What is wrong with the file of that path and what would be right, to follow what it is.
    public func words(_ path: String) -> String {
        switch self {
        case .owner(let owner, let user):
            return "\(path) belongs to user \(owner); expected user \(user) or root:"
                + " chown \(user) \(path)"
        case .mode(let mode, let isMounted):
            let cure =
                isMounted
                ? "0440 and a group of user \(geteuid()): chmod 440 \(path)"
                : "0600: chmod 600 \(path)"
            return "\(path) has mode \(zeroPadded(mode, 4, radix: 8)), open to others than its"
                + " owner; expected \(cure)"
        case .unknown(let reason): return "\(path): \(reason)"
        }
    }
}
