#ifndef BOOKDB_FILES_H
#define BOOKDB_FILES_H

#include <stdbool.h>
#include <stdint.h>

/// Which file it is: no other has the same while it is open.
struct bookdb_file_identity {
    uint64_t device;
    uint64_t number;
};

/// Asks for nothing else. A `stat` asks for the time of the last change, too, and Linux (from 6.13 on, multigrain timestamps) then notes a new one with
/// the next write, which a flush of the file has to write down as well.
///
/// - Returns: 0, or the number of the error.
int bookdb_identity_of_file(int descriptor, struct bookdb_file_identity *identity);

/// The same of what a name leads to. A link is not followed.
int bookdb_identity_of_name(const char *path, struct bookdb_file_identity *identity);

/// Whether the file's blocks stay where they are when they are written once more. `false` on file systems that are known to write elsewhere: APFS, Btrfs,
/// ZFS, bcachefs, F2FS, NILFS2.
bool bookdb_overwrites_in_place(int descriptor);

#endif
