"""Mounts that only this process and its children see."""

import ctypes
import os
import subprocess

CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000


def private_mounts():
    """Moves this process into a mount namespace of its own. Gives why not, where that is not possible."""
    flags = CLONE_NEWNS | (0 if os.geteuid() == 0 else CLONE_NEWUSER)
    user, group = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare"):
        return "this system has no mount namespaces"
    if libc.unshare(flags) != 0:
        return f"a mount namespace was refused: {os.strerror(ctypes.get_errno())}"
    if flags & CLONE_NEWUSER:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    # So that nothing reaches the mounts of others.
    return mount("--make-rprivate", "/")


def mount(*arguments):
    """Gives what `mount` objects to, or None."""
    try:
        finished = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True)
    except FileNotFoundError:
        return "there is no mount command"
    return None if finished.returncode == 0 else finished.stderr.strip() or f"mount ends with {finished.returncode}"


def unmount(path):
    subprocess.run(["umount", "-l", path], check=True)


class MemoryDisk:
    """A tmpfs of a given size."""

    def __init__(self, path, size):
        self.path = path
        path.mkdir(parents=True)
        self.objection = mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", path)

    def remount(self, options):
        objection = mount("-o", f"remount,{options}", self.path)
        if objection:
            raise OSError(objection)
