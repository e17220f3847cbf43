#define _GNU_SOURCE
#include "bookdb_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#endif

static int note(int result, const struct stat *status, struct bookdb_file_identity *identity) {
    if (result != 0) return errno;
    identity->device = (uint64_t)status->st_dev;
    identity->number = (uint64_t)status->st_ino;
    return 0;
}

#if defined(__linux__) && defined(STATX_INO)

/// Whether the system, or who watches over its calls, does not know the call: then a `stat` has to do.
static bool is_unknown(int code) { return code == ENOSYS || code == EPERM; }

static int ask(int descriptor, const char *path, int flags, struct bookdb_file_identity *identity) {
    struct statx status;
    if (statx(descriptor, path, flags, STATX_INO, &status) != 0) return errno;
    identity->device = (uint64_t)makedev(status.stx_dev_major, status.stx_dev_minor);
    identity->number = status.stx_ino;
    return 0;
}

#else

#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0
#endif

static bool is_unknown(int code) { return code == ENOSYS; }

static int ask(int descriptor, const char *path, int flags, struct bookdb_file_identity *identity) {
    (void)descriptor, (void)path, (void)flags, (void)identity;
    return ENOSYS;
}

#endif

int bookdb_identity_of_file(int descriptor, struct bookdb_file_identity *identity) {
    int code = ask(descriptor, "", AT_EMPTY_PATH, identity);
    if (!is_unknown(code)) return code;
    struct stat status;
    return note(fstat(descriptor, &status), &status, identity);
}

int bookdb_identity_of_name(const char *path, struct bookdb_file_identity *identity) {
    int code = ask(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, identity);
    if (!is_unknown(code)) return code;
    struct stat status;
    return note(lstat(path, &status), &status, identity);
}

bool bookdb_overwrites_in_place(int descriptor) {
#ifdef __linux__
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return false;
    switch ((uint32_t)status.f_type) {
    case 0x9123683E: // Btrfs
    case 0x2FC12FC1: // ZFS
    case 0xCA451A4E: // bcachefs
    case 0xF2F52010: // F2FS
    case 0x3434: // NILFS2
        return false;
    default: return true;
    }
#else
    (void)descriptor;
    return false;
#endif
}
