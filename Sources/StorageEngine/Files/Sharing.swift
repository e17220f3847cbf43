/// Who may read and write a store that is created.
///
/// Decides the permissions of the new directory. Files take theirs from the directory they are created in, so an existing
/// store, or one that begins in an existing directory, keeps the permissions that directory has.
public enum Sharing: Sendable, Hashable {
    /// Its owner alone: directory 0700, files 0600.
    case owner
    /// Its owner and group, whatever the umask: directory 2770, so that files are of the directory's group, and files 0660.
    case group

    var directoryPermissions: UInt16 {
        switch self {
        case .owner: 0o700
        case .group: 0o2770
        }
    }
}
